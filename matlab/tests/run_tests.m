function run_tests(root, cases)
% run_tests(ROOT, CASES)  Compare the functions with the program's results in CASES (tests/bindings/make_cases.sh), bit for
% bit, and check errors. `make test-octave` runs it.
  warning('off', 'Octave:shadowed-function');
  warning('off', 'volterra:warning');
  addpath(fullfile(root, 'matlab'));
  addpath(fullfile(root, 'matlab', 'tests', 'stand_ins')); % classes of MATLAB that Octave does not have
  count = [0 0];
  at = @(name) fullfile(cases, name);
  narma = read_npy(at('narma.npy'));
  lorenz = read_npy(at('lorenz.npy'));
  u = narma(:, 1);
  y = narma(:, 2);
  old = 1:300;
  new = 301:400;

  % ---- the same numbers as the program
  model = volterra.fit(u(old), y(old));
  count = check(count, 'fitted values', isequal(model.Fitted, read_npy(at('fitted.npy'))));
  [prediction, lower, upper] = volterra.predict(model, u(new), 'coverage', 0.9);
  count = check(count, 'predictions and intervals', isequal([prediction lower upper], read_npy(at('predict.npy'))));
  count = check(count, 'reset', isequal(volterra.predict(model, u(new), 'start', 'reset'), read_npy(at('predict_reset.npy'))));
  count = check(count, 'simulate', isequal(volterra.simulate(model, u(new)), read_npy(at('predict_reset.npy'))));
  stream = volterra.stream(model);
  streamed = arrayfun(@(x) feed(stream, x), u(new));
  expected = str2num(fileread(at('stream.txt')));
  count = check(count, 'stream', all(abs(streamed - expected) <= 4 * eps * abs(expected)));
  given = volterra.fit(u(old), y(old), 'alpha', 0.01, 'kernel', 'fir + volterra', 'intercept', false);
  count = check(count, 'given alpha', isequal(volterra.predict(given, u(new)), read_npy(at('given.npy'))));
  fed = volterra.fit(u(old), y(old), 'feedback_weight', 0.5);
  count = check(count, 'feedback', isequal(volterra.predict(fed, u(new)), read_npy(at('feedback.npy'))));
  record = [ones(140, 1); 2 * ones(260, 1)];
  grouped = volterra.fit(u, y, 'records', record);
  count = check(count, 'records', isequal(grouped.Fitted, read_npy(at('records.npy'))));
  tuned = volterra.tune(u(old), y(old), 'draws', 24, 'seed', 5);
  count = check(count, 'tune', isequal(volterra.predict(tuned, u(new)), read_npy(at('tuned.npy'))));
  count = check(count, 'trials', numel(tuned.Info.trials.score) == 24);
  path = volterra.fit(lorenz);
  count = check(count, 'continue', isequal(volterra.continue_(path, 40), read_npy(at('continue.npy'))));
  series = volterra.forecast(lorenz(:, 1), 'steps', 8, 'season', 'none', 'all_rows', true);
  columns = dlmread(at('forecast.csv'), ',', 1, 1);
  mine = [series.forecast series.error series.lower{1} series.upper{1} series.lower{2} series.upper{2}];
  count = check(count, 'forecast', all(abs(mine(:) - columns(:)) <= 4 * eps * abs(columns(:))));
  weekdays = 86400 * (floor((0:59) / 5) * 7 + mod(0:59, 5) + 4)'; % 1970-01-05 was a Monday
  dated = volterra.forecast(lorenz(1:60, 1), 'steps', 2, 'times', weekdays);
  count = check(count, 'weekdays', isequal(dated.times(:), weekdays(60) + 86400 * [3; 4]));
  holes = lorenz(1:60, 1);
  holes(7) = NaN;
  reason = '';
  try
    volterra.forecast(holes);
  catch e
    reason = [e.identifier ' ' e.message];
  end
  count = check(count, 'missing value', strncmp(reason, 'volterra:not_finite row 7 ', 26));
  identified = volterra.identify(u, y, 'draws', 6, 'seed', 2);
  count = check(count, 'identify: error of the output', abs(identified.Info.output_tests.rmse - identified.Info.test_rmse) < 1e-12);
  count = check(count, 'identify', isequal(volterra.simulate(identified, u), read_npy(at('identified.npy'))));
  count = check(count, 'candidates', numel(identified.Info.candidates) == 6);
  loaded = volterra.load(at('fit.safetensors'));
  count = check(count, 'files of the program', isequal(volterra.predict(loaded, u(new)), volterra.predict(model, u(new))));

  % ---- models
  file = [tempname() '.safetensors'];
  volterra.save(model, file);
  count = check(count, 'save and load', isequal(volterra.predict(volterra.load(file), u(new)), volterra.predict(model, u(new))));
  delete(file);
  explained = volterra.explain(given, 'lags', 3);
  count = check(count, 'explain', isequal(size(explained.g2), [1 3 3]) && explained.g2(1, 3, 1) == 0 && explained.g2(1, 1, 3) ~= 0);
  learner = volterra.stream(model, 'learn', true, 'window', 200);
  feed(learner, 0.1);
  learn(learner, 0.2);
  count = check(count, 'learn', isfinite(feed(learner, 0.1)));
  clear model
  count = check(count, 'stream outlives the variable of its model', isfinite(feed(stream, 0.1)));
  rand('seed', 1);
  losses = rand(100, 3);
  losses(:, 3) = losses(:, 3) + 2;
  set = volterra.mcs(losses, 'reps', 200);
  count = check(count, 'mcs', ~set.included(3) && set.order(1) == 3);
  row_vector = volterra.fit(u(old)', y(old)', 'alpha', 0.01, 'kernel', 'fir + volterra', 'intercept', false);
  count = check(count, 'row vectors', isequal(row_vector.Fitted, given.Fitted));

  count = check(count, 'kernel and alpha', strcmp(loaded.kernel, loaded.Info.kernel) && loaded.alpha == loaded.Info.alpha && ...
                isempty(identified.alpha) && ischar(identified.kernel));
  stored = saveobj(loaded);
  restored = volterra.Model.loadobj(struct('Info', stored.Info, 'Fitted', stored.Fitted, 'bytes', stored.bytes));
  count = check(count, 'MAT file', isequal(volterra.predict(restored, u(new)), volterra.predict(loaded, u(new))));
  wide = volterra.fit([u(old), cumsum(u(old))], y(old), 'alpha', 0.01);
  two = [u(new), cumsum(u(new))];
  one_row = volterra.stream(wide);
  count = check(count, 'a row of a model with two inputs', isequal(size(feed(one_row, two(1, :))), [1 1]) && ...
                isequal(volterra.predict(wide, two(1, :)), volterra.predict(wide, [two(1, 1), two(1, 2)])));

  % ---- classes of MATLAB
  texts = volterra.fit(u(old), y(old), string('alpha'), 0.01, 'kernel', string('fir + volterra'), string('intercept'), false);
  count = check(count, 'strings', isequal(texts.Fitted, given.Fitted));
  runs = cell(400, 1);
  runs(1:140) = {'a'};
  runs(141:400) = {'b'};
  by_name = volterra.fit(u, y, 'records', string(runs));
  count = check(count, 'records of strings', isequal(by_name.Fitted, grouped.Fitted));
  volterra.save(texts, string(file));
  count = check(count, 'paths as strings', isequal(volterra.predict(volterra.load(string(file)), u(new)), read_npy(at('given.npy'))));
  delete(file);
  count = check(count, 'system as a string', isequal(volterra.dataset(string('narma10'), int32(50)), volterra.dataset('narma10', 50)));
  ranges = struct('lambda_coef', {{string('linear'), 0.5, 0.9}});
  first = volterra.tune(u(old), y(old), 'draws', 3, 'ranges', ranges);
  ranges.lambda_coef{1} = 'linear';
  second = volterra.tune(u(old), y(old), 'draws', 3, 'ranges', ranges);
  count = check(count, 'ranges with strings', isequal(first.Fitted, second.Fitted));
  day = datetime(weekdays, 'ConvertFrom', 'posixtime');
  dated = volterra.forecast(lorenz(1:60, 1), 'steps', 2, 'times', day);
  count = check(count, 'datetimes', isa(dated.times, 'datetime') && isequal(posixtime(dated.times), weekdays(60) + 86400 * [3; 4]));
  dated = volterra.forecast(table('day', day, 'x', lorenz(1:60, 1)), string('steps'), 2);
  count = check(count, 'table with times', isequal(posixtime(dated.times), weekdays(60) + 86400 * [3; 4]) && isequal(dated.names, {'x'}));

  promo = mod((1:62)', 5) == 0;
  with = volterra.forecast(lorenz(1:60, 1), 'steps', 2, 'known', table('promo', promo));
  count = check(count, 'further inputs of a table', isequal(with.forecast, ...
                getfield(volterra.forecast(lorenz(1:60, 1), 'steps', 2, 'known', double(promo)), 'forecast')));

  % ---- tables by name
  named = volterra.fit(table('u', u(old), 'sum', cumsum(u(old))), table('y', y(old)), 'alpha', 0.01);
  path_of = volterra.fit(table('x', lorenz(:, 1), 'y', lorenz(:, 2), 'z', lorenz(:, 3)));
  ahead = volterra.fit(lorenz);
  reordered = table('z', lorenz(1:20, 3), 'x', lorenz(1:20, 1), 'y', lorenz(1:20, 2));
  count = check(count, 'continue by name', isequal(volterra.continue_(path_of, 3, 'X', reordered), ...
                volterra.continue_(ahead, 3, 'X', lorenz(1:20, :))));
  mixed = volterra.fit(table('u', u(old), 'n', int32(100 * u(old))), y(old), 'alpha', 0.01);
  double_mixed = volterra.fit([u(old), round(100 * u(old))], y(old), 'alpha', 0.01);
  count = check(count, 'integers beside doubles', isequal(mixed.Fitted, double_mixed.Fitted));
  expected = volterra.predict(wide, two);
  count = check(count, 'names', isequal(named.input_names, {'u', 'sum'}) && isequal(named.output_names, {'y'}));
  texts = repmat({'a'}, 100, 1);
  swapped = table('note', texts, 'sum', two(:, 2), 'u', two(:, 1), 'y', y(new));
  count = check(count, 'columns by name', isequal(volterra.predict(named, swapped), expected));
  s = volterra.stream(named);
  count = check(count, 'stream by name', max(abs(feed(s, swapped) - expected)) < 1e-9);
  count = fails(count, 'some names', 'volterra:argument', 'u, sum', @() volterra.predict(named, table('u', two(:, 1), 'v', two(:, 2))));
  count = fails(count, 'text column', 'volterra:argument', 'note', @() volterra.fit(swapped));
  lastwarn('');
  warning('on', 'volterra:warning');
  by_position = volterra.predict(named, table('a', u(old), 'b', cumsum(u(old))), 'start', 'reset');
  [message, id] = lastwarn();
  count = check(count, 'no name: by position', isequal(by_position, volterra.sim(named, [u(old), cumsum(u(old))])) && ~isempty(strfind(message, 'by position')) && ...
                strcmp(id, 'volterra:warning'));
  lastwarn('');
  volterra.simulate(fed, u(new));
  [message, id] = lastwarn();
  count = check(count, 'warnings', strcmp(id, 'volterra:warning') && isempty(strfind(message, 'volterra_mex')));
  warning('off', 'volterra:warning');
  identified_table = volterra.identify(table('u', u, 'noise', y(end:-1:1)), y, 'draws', 2, 'seed', 2, 'test_U', ...
                                       table('noise', y(end:-1:1), 'u', u), 'test_Y', y);
  identified_matrix = volterra.identify([u, y(end:-1:1)], y, 'draws', 2, 'seed', 2, 'test_U', [u, y(end:-1:1)], 'test_Y', y);
  count = check(count, 'test rows by name', identified_table.Info.test_rmse == identified_matrix.Info.test_rmse);

  % ---- compare, resid, sim
  count = check(count, 'sim', isequal(volterra.sim(loaded, u(new)), read_npy(at('predict_reset.npy'))) && ...
                isequal(sim(loaded, u(new)), volterra.sim(loaded, u(new))));
  simulated = read_npy(at('predict_reset.npy'));
  percent = 100 * (1 - norm(y(new) - simulated) / norm(y(new) - mean(y(new))));
  [compared, fit] = volterra.compare([u(new), y(new)], loaded);
  count = check(count, 'compare', isequal(compared, simulated) && abs(fit - percent) < 1e-10);
  [~, fits] = compare(u(new), y(new), loaded, fed);
  tail = 306:400;
  warm = volterra.sim(fed, u(new), 'known', y(new), 'warm_up', 5);
  percent = 100 * (1 - norm(y(tail) - warm(6:end)) / norm(y(tail) - mean(y(tail))));
  count = check(count, 'compare with feedback', fits{1} == fit && abs(fits{2} - percent) < 1e-10);
  [~, fit_table] = volterra.compare(swapped, named);
  [~, fit_data] = volterra.compare(iddata(y(new), u(new)), loaded);
  count = check(count, 'compare a table, iddata', isfinite(fit_table) && fit_data == fit);
  [~, fit] = volterra.compare([u, y], identified);
  e = volterra.resid([u, y], identified);
  count = check(count, 'compare and resid of an identified model', fit > 50 && fit < 100 && std(e) < std(y));
  e = volterra.resid(u(new), y(new), fed);
  one_step = volterra.predict(fed, u(new), 'start', 'reset', 'known', y(new));
  count = check(count, 'resid', isequal(e, y(new) - one_step) && isequal(volterra.resid([u(new), y(new)], loaded), y(new) - simulated));
  % the correlations of the program's report
  report = jsondecode(fileread(at('identified.json')));
  rows = report.diagnosis.first_row + (1:numel(report.diagnosis.measured))';
  e = report.diagnosis.measured - report.diagnosis.simulated;
  kept = isfinite(e);
  r = volterra.internal.correlations(e(kept), u(rows(kept)), numel(report.diagnosis.autocorrelation) - 1);
  count = check(count, 'autocorrelation', max(abs(r.autocorrelation - report.diagnosis.autocorrelation(:))) < 1e-10);
  cross = r.cross_correlation(r.cross_lags >= 0);
  count = check(count, 'correlation with the input', max(abs(cross - report.diagnosis.cross_correlation(:))) < 1e-10 && ...
                abs(r.cross_bounds - report.diagnosis.cross_bounds) < 1e-10 && ...
                abs(r.autocorrelation_bound - report.diagnosis.autocorrelation_bound) < 1e-10);
  count = fails(count, 'compare: option', 'volterra:argument', 'lags', @() volterra.compare(u, y, loaded, 'lags', 3));
  count = fails(count, 'compare: no model', 'volterra:argument', 'model', @() volterra.compare(u, y));
  count = fails(count, 'compare: columns', 'volterra:argument', '1 inputs', @() volterra.compare(u, loaded));
  count = fails(count, 'resid: lags', 'volterra:argument', 'lags', @() volterra.resid(u, y, loaded, 'lags', 0.5));

  % ---- errors
  count = fails(count, 'unknown option', 'volterra:argument', 'alpha', @() volterra.fit(u, y, 'alpah', 1));
  count = fails(count, 'value', 'volterra:argument', '-1', @() volterra.fit(u, y, 'alpha', -1));
  count = fails(count, 'shapes', 'volterra:shape', '', @() volterra.fit(u, y(2:end)));
  count = fails(count, 'complex', 'volterra:argument', 'u', @() volterra.fit(u + 1i, y));
  count = fails(count, 'odd options', 'volterra:argument', 'pairs', @() volterra.fit(u, y, 'alpha'));
  count = fails(count, 'file', 'volterra:io', '', @() volterra.load('no such file'));
  count = fails(count, 'records', 'volterra:argument', 'consecutive', @() volterra.fit(u, y, 'records', repmat([1; 1; 2; 2], 100, 1)));
  count = fails(count, 'no model', 'volterra:argument', 'model', @() volterra.internal.call('predict', struct('model', uint64(99), 'X', u)));
  count = fails(count, 'sparse text', 'volterra:argument', 'X', @() volterra.internal.call('fit', struct('X', {{1, 'a'}}, 'Y', y)));
  printf('%d passed, %d failed\n', count(1), count(2));
  if count(2) > 0
    exit(1);
  end
end

function count = check(count, name, condition)
  if condition
    count(1) = count(1) + 1;
  else
    count(2) = count(2) + 1;
    printf('not ok %s\n', name);
  end
end

function count = fails(count, name, id, part, run)
  try
    run();
    count = check(count, [name ': no error'], false);
  catch e
    count = check(count, [name ': ' e.identifier ' ' e.message], strcmp(e.identifier, id) && (isempty(part) || ~isempty(strfind(e.message, part))));
  end
end

function x = read_npy(path)
  file = fopen(path, 'r', 'ieee-le');
  fread(file, 8, 'uint8');
  header = fread(file, fread(file, 1, 'uint16'), 'uint8=>char')';
  words = regexp(header, '\((\d+), *(\d*)\)', 'tokens');
  shape = cellfun(@str2double, words{1});
  shape(isnan(shape)) = 1;
  x = reshape(fread(file, prod(shape), 'double'), fliplr(shape))';
  fclose(file);
end
