# scripts/demo_lorenz.gnuplot: truth and closed-loop forecast of the Lorenz system, three components stacked.
#
# Variables from the command line: table (columns: time in Lyapunov times, truth x y z, forecast x y z),
# valid (the valid prediction time), last (end of the time axis), out (file name without extension).
set encoding utf8
truth_colour = "#222222"
forecast_colour = "#e0641a"
quiet_colour = "#9a9a9a"

do for [kind in "svg png"] {
    if (kind eq "svg") {
        set terminal svg size 1000,620 font "Helvetica,15" background rgb "white"
    } else {
        set terminal pngcairo size 2000,1240 font "Sans,26" linewidth 2 background rgb "white"
    }
    set output out.".".kind
    set multiplot
    set border 3 linecolor rgb quiet_colour
    set tics nomirror out scale 0.6 textcolor rgb truth_colour
    set xrange [0:last]
    set xtics 1
    set lmargin at screen 0.085
    set rmargin at screen 0.975

    do for [k = 1:3] {
        name = word("x y z", k)
        top = 0.90 - (k - 1) * 0.27
        set tmargin at screen top
        set bmargin at screen top - 0.235
        set ylabel name offset 1.5,0 rotate by 0 textcolor rgb truth_colour
        set yrange [*:*]
        set ytics autofreq
        if (k == 3) { set ytics 0,20 } else { set ytics -40,20 }
        if (k == 1) { set yrange [-24:24] }
        if (k == 2) { set yrange [-30:30] }
        if (k == 3) { set yrange [0:52] }
        set arrow 1 from valid, graph 0 to valid, graph 1 nohead dashtype 2 linewidth 1.5 \
            linecolor rgb quiet_colour
        unset label
        unset key
        if (k == 1) {
            set key at screen 0.975, screen 0.972 right top horizontal samplen 2 textcolor rgb truth_colour
            set label 1 sprintf("valid for %.1f Lyapunov times", valid) at valid, graph 1.0 right \
                offset -0.8,-0.4 textcolor rgb "#555555"
            set label 2 "Lorenz system: learnt from 5000 points, then fed with its own output" at screen 0.085, screen 0.955 \
                left textcolor rgb truth_colour
        }
        if (k == 3) {
            set xlabel "time since the last training point (Lyapunov times)" offset 0,0.4 \
                textcolor rgb truth_colour
            set format x "%g"
        } else {
            unset xlabel
            set format x ""
        }
        plot table every 10 using 1:(column(k + 1)) with lines linewidth 1.8 linecolor rgb truth_colour title "truth", \
             table every 10 using 1:(column(k + 4)) with lines linewidth 1.8 linecolor rgb forecast_colour \
                 title "forecast"
    }
    unset multiplot
    set output
}
