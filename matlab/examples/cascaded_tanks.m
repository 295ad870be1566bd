% cascaded_tanks  The row "Cascaded Tanks" of docs/results.md, by the preset tanks-1.
%
% Requires cascaded_tanks.csv (columns uEst, uVal, yEst, yVal; www.nonlinearbenchmark.org) in the current folder.
table = dlmread('cascaded_tanks.csv', ',', 1, 0);
table = table(1:1024, :);
kernel = ['volterra:lift=rbf,gamma=0.1969,lambda_coef=0.9781,pole=0.9314 + ' ...
          '0.1176*volterra:lift=rbf,gamma=0.417,lambda_coef=0.97096,pole=0.4062 + 0.042*fir:mu=0.9426,corr=0.5135'];
model = volterra.fit(table(:, 1), table(:, 3), 'kernel', kernel, 'alpha', 0.077);
simulated = volterra.simulate(model, table(:, 2));
residual = table(:, 4) - simulated;
rmse = @(first) sqrt(mean(residual(first + 1:end) .^ 2));
fprintf('RMSE %.3f V after 5 rows, %.3f V after 50 rows\n', rmse(5), rmse(50));
seconds = 4 * (0:1023)';
plot(seconds, table(:, 4), 'k', seconds, simulated, 'b');
legend('measured', 'simulated');
xlabel('seconds');
ylabel('volts');
