function build_volterra(cflags, libs)
% BUILD_VOLTERRA  Compile the MEX file of volterra.
%
%   build_volterra()              finds libvolterra by pkg-config
%   build_volterra(CFLAGS, LIBS)  uses the given flags, such as '-I/opt/include' and '-L/opt/lib -lvolterra'
%
% Run it once in the folder matlab of the source tree, then add this folder to the path. Octave warns that volterra.save and
% volterra.load have the names of built-in functions: warning('off', 'Octave:shadowed-function') before addpath.
  here = fileparts(mfilename('fullpath'));
  if nargin < 2
    [missing, cflags] = system('pkg-config --cflags volterra');
    [~, libs] = system('pkg-config --libs volterra');
    [~, folder] = system('pkg-config --variable=libdir volterra');
    if missing
      error('volterra:build', 'libvolterra was not found by pkg-config: install it, or give CFLAGS and LIBS');
    end
    cflags = strtrim(cflags);
    libs = [strtrim(libs) ' -Wl,-rpath,' strtrim(folder)];
  end
  bindings = fullfile(here, '..', 'bindings');
  listing = dir(fullfile(bindings, '*.c'));
  sources = cellfun(@(name) fullfile(bindings, name), {listing.name}, 'UniformOutput', false);
  sources{end + 1} = fullfile(here, 'src', 'volterra_mex.c');
  flags = [{['-I' bindings]}, strsplit(cflags)];
  flags = flags(~cellfun(@isempty, flags));
  output = fullfile(here, ['volterra_mex.' mexext()]);
  if exist('OCTAVE_VERSION', 'builtin')
    [text, failed] = mkoctfile('--mex', flags{:}, sources{:}, strsplit(libs){:}, '-o', output);
    if failed
      error('volterra:build', 'the compilation failed: %s', text);
    end
  else
    words = strsplit(libs);
    rpath = words(strncmp(words, '-Wl,', 4));
    words = words(~strncmp(words, '-Wl,', 4));
    mex(flags{:}, sources{:}, words{:}, ['LDFLAGS=$LDFLAGS ' strjoin(rpath)], '-output', output);
  end
end
