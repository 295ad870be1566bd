/* tests/support/option_fields.h: numbers in the options structures. Written by scripts/make_option_fields.py. */
#ifndef SUPPORT_OPTION_FIELDS_H
#define SUPPORT_OPTION_FIELDS_H

#include "volterra.h"

#include <stddef.h>

typedef enum option_kind { OPTION_INT, OPTION_INT64, OPTION_DOUBLE } option_kind;
typedef struct option_field {
    const char *name; /* NULL: the end of a list */
    option_kind kind;
    size_t offset;
} option_field;
typedef struct option_structure {
    const char *name;
    size_t size;
    const option_field *fields;
} option_structure;

/* clang-format off */
static const option_field volt_read_options_fields[] = {
    {"missing", OPTION_INT, offsetof(volt_read_options, missing)},
    {"first", OPTION_INT64, offsetof(volt_read_options, first)},
    {"end", OPTION_INT64, offsetof(volt_read_options, end)},
    {"n_names", OPTION_INT64, offsetof(volt_read_options, n_names)},
    {"keep_faults", OPTION_INT, offsetof(volt_read_options, keep_faults)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_write_options_fields[] = {
    {NULL, OPTION_INT, 0}};
static const option_field volt_gram_options_fields[] = {
    {"radius", OPTION_DOUBLE, offsetof(volt_gram_options, radius)},
    {"mirror", OPTION_INT, offsetof(volt_gram_options, mirror)},
    {"normalise", OPTION_INT, offsetof(volt_gram_options, normalise)},
    {"distance", OPTION_INT, offsetof(volt_gram_options, distance)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_fit_options_fields[] = {
    {"alpha", OPTION_DOUBLE, offsetof(volt_fit_options, alpha)},
    {"alpha_start", OPTION_DOUBLE, offsetof(volt_fit_options, alpha_start)},
    {"intercept", OPTION_INT, offsetof(volt_fit_options, intercept)},
    {"scale", OPTION_INT, offsetof(volt_fit_options, scale)},
    {"tolerance", OPTION_DOUBLE, offsetof(volt_fit_options, tolerance)},
    {"n_classes", OPTION_INT64, offsetof(volt_fit_options, n_classes)},
    {"washout", OPTION_INT64, offsetof(volt_fit_options, washout)},
    {"n_records", OPTION_INT64, offsetof(volt_fit_options, n_records)},
    {"missing_targets", OPTION_INT, offsetof(volt_fit_options, missing_targets)},
    {"target", OPTION_INT, offsetof(volt_fit_options, target)},
    {"input", OPTION_INT, offsetof(volt_fit_options, input)},
    {"ahead", OPTION_INT64, offsetof(volt_fit_options, ahead)},
    {"season", OPTION_INT64, offsetof(volt_fit_options, season)},
    {"passthrough_columns", OPTION_INT64, offsetof(volt_fit_options, passthrough_columns)},
    {"guarded", OPTION_INT, offsetof(volt_fit_options, guarded)},
    {"feedback", OPTION_INT, offsetof(volt_fit_options, feedback)},
    {"feedback_weight", OPTION_DOUBLE, offsetof(volt_fit_options, feedback_weight)},
    {"landmarks", OPTION_INT64, offsetof(volt_fit_options, landmarks)},
    {"landmark_choice", OPTION_INT, offsetof(volt_fit_options, landmark_choice)},
    {"iterations", OPTION_INT64, offsetof(volt_fit_options, iterations)},
    {"checkpoint_seconds", OPTION_DOUBLE, offsetof(volt_fit_options, checkpoint_seconds)},
    {"keep_factor", OPTION_INT, offsetof(volt_fit_options, keep_factor)},
    {"n_times", OPTION_INT64, offsetof(volt_fit_options, n_times)},
    {"pending.rows", OPTION_INT64, offsetof(volt_fit_options, pending.rows)},
    {"pending.cols", OPTION_INT64, offsetof(volt_fit_options, pending.cols)},
    {"pending.ld", OPTION_INT64, offsetof(volt_fit_options, pending.ld)},
    {"initial", OPTION_INT, offsetof(volt_fit_options, initial)},
    {"scale_each", OPTION_INT, offsetof(volt_fit_options, scale_each)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_predict_options_fields[] = {
    {"start", OPTION_INT, offsetof(volt_predict_options, start)},
    {"beyond", OPTION_INT, offsetof(volt_predict_options, beyond)},
    {"n_records", OPTION_INT64, offsetof(volt_predict_options, n_records)},
    {"known.rows", OPTION_INT64, offsetof(volt_predict_options, known.rows)},
    {"known.cols", OPTION_INT64, offsetof(volt_predict_options, known.cols)},
    {"known.ld", OPTION_INT64, offsetof(volt_predict_options, known.ld)},
    {"warm_up", OPTION_INT64, offsetof(volt_predict_options, warm_up)},
    {"paths", OPTION_INT64, offsetof(volt_predict_options, paths)},
    {"seed", OPTION_INT64, offsetof(volt_predict_options, seed)},
    {"std.rows", OPTION_INT64, offsetof(volt_predict_options, std.rows)},
    {"std.cols", OPTION_INT64, offsetof(volt_predict_options, std.cols)},
    {"std.ld", OPTION_INT64, offsetof(volt_predict_options, std.ld)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_explain_options_fields[] = {
    {"lags", OPTION_INT64, offsetof(volt_explain_options, lags)},
    {"order", OPTION_INT64, offsetof(volt_explain_options, order)},
    {"about", OPTION_INT, offsetof(volt_explain_options, about)},
    {"band", OPTION_INT, offsetof(volt_explain_options, band)},
    {"shares", OPTION_INT, offsetof(volt_explain_options, shares)},
    {"along.rows", OPTION_INT64, offsetof(volt_explain_options, along.rows)},
    {"along.cols", OPTION_INT64, offsetof(volt_explain_options, along.cols)},
    {"along.ld", OPTION_INT64, offsetof(volt_explain_options, along.ld)},
    {"n_records", OPTION_INT64, offsetof(volt_explain_options, n_records)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_live_options_fields[] = {
    {"start", OPTION_INT, offsetof(volt_live_options, start)},
    {"beyond", OPTION_INT, offsetof(volt_live_options, beyond)},
    {"pending.rows", OPTION_INT64, offsetof(volt_live_options, pending.rows)},
    {"pending.cols", OPTION_INT64, offsetof(volt_live_options, pending.cols)},
    {"pending.ld", OPTION_INT64, offsetof(volt_live_options, pending.ld)},
    {"learn", OPTION_INT, offsetof(volt_live_options, learn)},
    {"window", OPTION_INT64, offsetof(volt_live_options, window)},
    {"forget", OPTION_DOUBLE, offsetof(volt_live_options, forget)},
    {"forget_what", OPTION_INT, offsetof(volt_live_options, forget_what)},
    {"free_run", OPTION_INT, offsetof(volt_live_options, free_run)},
    {"n_coverages", OPTION_INT64, offsetof(volt_live_options, n_coverages)},
    {"alarm_rate", OPTION_DOUBLE, offsetof(volt_live_options, alarm_rate)},
    {"scale_rows", OPTION_INT64, offsetof(volt_live_options, scale_rows)},
    {"lock", OPTION_INT, offsetof(volt_live_options, lock)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_export_options_fields[] = {
    {"format", OPTION_INT, offsetof(volt_export_options, format)},
    {"single", OPTION_INT, offsetof(volt_export_options, single)},
    {"landmarks", OPTION_INT64, offsetof(volt_export_options, landmarks)},
    {"n_coverages", OPTION_INT64, offsetof(volt_export_options, n_coverages)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_split_options_fields[] = {
    {"folds", OPTION_INT64, offsetof(volt_split_options, folds)},
    {"gap", OPTION_INT64, offsetof(volt_split_options, gap)},
    {"min_train", OPTION_INT64, offsetof(volt_split_options, min_train)},
    {"max_train", OPTION_INT64, offsetof(volt_split_options, max_train)},
    {"rolling", OPTION_INT, offsetof(volt_split_options, rolling)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_draw_options_fields[] = {
    {"seed", OPTION_INT64, offsetof(volt_draw_options, seed)},
    {"n_ranges", OPTION_INT64, offsetof(volt_draw_options, n_ranges)},
    {"scale", OPTION_INT, offsetof(volt_draw_options, scale)},
    {"from_defaults", OPTION_INT, offsetof(volt_draw_options, from_defaults)},
    {"fed_outputs.rows", OPTION_INT64, offsetof(volt_draw_options, fed_outputs.rows)},
    {"fed_outputs.cols", OPTION_INT64, offsetof(volt_draw_options, fed_outputs.cols)},
    {"fed_outputs.ld", OPTION_INT64, offsetof(volt_draw_options, fed_outputs.ld)},
    {"series_steps", OPTION_DOUBLE, offsetof(volt_draw_options, series_steps)},
    {"points", OPTION_INT64, offsetof(volt_draw_options, points)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_evidence_options_fields[] = {
    {"alpha", OPTION_DOUBLE, offsetof(volt_evidence_options, alpha)},
    {"washout", OPTION_INT64, offsetof(volt_evidence_options, washout)},
    {"intercept", OPTION_INT, offsetof(volt_evidence_options, intercept)},
    {"scale", OPTION_INT, offsetof(volt_evidence_options, scale)},
    {"leave_one_out", OPTION_INT, offsetof(volt_evidence_options, leave_one_out)},
    {"n_records", OPTION_INT64, offsetof(volt_evidence_options, n_records)},
    {"initial", OPTION_INT, offsetof(volt_evidence_options, initial)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_search_options_fields[] = {
    {"splits.folds", OPTION_INT64, offsetof(volt_search_options, splits.folds)},
    {"splits.gap", OPTION_INT64, offsetof(volt_search_options, splits.gap)},
    {"splits.min_train", OPTION_INT64, offsetof(volt_search_options, splits.min_train)},
    {"splits.max_train", OPTION_INT64, offsetof(volt_search_options, splits.max_train)},
    {"splits.rolling", OPTION_INT, offsetof(volt_search_options, splits.rolling)},
    {"ahead", OPTION_INT64, offsetof(volt_search_options, ahead)},
    {"folds_by_records", OPTION_INT, offsetof(volt_search_options, folds_by_records)},
    {"start", OPTION_INT, offsetof(volt_search_options, start)},
    {"washout", OPTION_INT64, offsetof(volt_search_options, washout)},
    {"n_records", OPTION_INT64, offsetof(volt_search_options, n_records)},
    {"base.rows", OPTION_INT64, offsetof(volt_search_options, base.rows)},
    {"base.cols", OPTION_INT64, offsetof(volt_search_options, base.cols)},
    {"base.ld", OPTION_INT64, offsetof(volt_search_options, base.ld)},
    {"intercept", OPTION_INT, offsetof(volt_search_options, intercept)},
    {"scale", OPTION_INT, offsetof(volt_search_options, scale)},
    {"tolerance", OPTION_DOUBLE, offsetof(volt_search_options, tolerance)},
    {"n_classes", OPTION_INT64, offsetof(volt_search_options, n_classes)},
    {"landmarks", OPTION_INT64, offsetof(volt_search_options, landmarks)},
    {"landmark_choice", OPTION_INT, offsetof(volt_search_options, landmark_choice)},
    {"score", OPTION_INT, offsetof(volt_search_options, score)},
    {"validate", OPTION_INT, offsetof(volt_search_options, validate)},
    {"race", OPTION_INT, offsetof(volt_search_options, race)},
    {"strategy", OPTION_INT, offsetof(volt_search_options, strategy)},
    {"draws", OPTION_INT64, offsetof(volt_search_options, draws)},
    {"seconds", OPTION_DOUBLE, offsetof(volt_search_options, seconds)},
    {"resume", OPTION_INT, offsetof(volt_search_options, resume)},
    {"initial", OPTION_INT, offsetof(volt_search_options, initial)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_simulate_options_fields[] = {
    {"sigma", OPTION_DOUBLE, offsetof(volt_simulate_options, sigma)},
    {"rho", OPTION_DOUBLE, offsetof(volt_simulate_options, rho)},
    {"beta", OPTION_DOUBLE, offsetof(volt_simulate_options, beta)},
    {"a", OPTION_DOUBLE, offsetof(volt_simulate_options, a)},
    {"b", OPTION_DOUBLE, offsetof(volt_simulate_options, b)},
    {"power", OPTION_DOUBLE, offsetof(volt_simulate_options, power)},
    {"delay", OPTION_DOUBLE, offsetof(volt_simulate_options, delay)},
    {"start[0]", OPTION_DOUBLE, offsetof(volt_simulate_options, start[0])},
    {"step", OPTION_DOUBLE, offsetof(volt_simulate_options, step)},
    {"every", OPTION_INT64, offsetof(volt_simulate_options, every)},
    {"method", OPTION_INT, offsetof(volt_simulate_options, method)},
    {"seed", OPTION_INT64, offsetof(volt_simulate_options, seed)},
    {"discard", OPTION_INT64, offsetof(volt_simulate_options, discard)},
    {"parameters[0]", OPTION_DOUBLE, offsetof(volt_simulate_options, parameters[0])},
    {"start_noise", OPTION_DOUBLE, offsetof(volt_simulate_options, start_noise)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_bekk_simulate_options_fields[] = {
    {"seed", OPTION_INT64, offsetof(volt_bekk_simulate_options, seed)},
    {"stream", OPTION_INT64, offsetof(volt_bekk_simulate_options, stream)},
    {"discard", OPTION_INT64, offsetof(volt_bekk_simulate_options, discard)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_bekk_fit_options_fields[] = {
    {"starts", OPTION_INT64, offsetof(volt_bekk_fit_options, starts)},
    {"seed", OPTION_INT64, offsetof(volt_bekk_fit_options, seed)},
    {"rounds", OPTION_INT64, offsetof(volt_bekk_fit_options, rounds)},
    {"standard_errors", OPTION_INT, offsetof(volt_bekk_fit_options, standard_errors)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_mcs_options_fields[] = {
    {"method", OPTION_INT, offsetof(volt_mcs_options, method)},
    {"size", OPTION_DOUBLE, offsetof(volt_mcs_options, size)},
    {"block", OPTION_DOUBLE, offsetof(volt_mcs_options, block)},
    {"reps", OPTION_INT64, offsetof(volt_mcs_options, reps)},
    {"seed", OPTION_INT64, offsetof(volt_mcs_options, seed)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_forecast_options_fields[] = {
    {"steps", OPTION_INT64, offsetof(volt_forecast_options, steps)},
    {"season", OPTION_INT64, offsetof(volt_forecast_options, season)},
    {"step.seconds", OPTION_DOUBLE, offsetof(volt_forecast_options, step.seconds)},
    {"step.months", OPTION_INT64, offsetof(volt_forecast_options, step.months)},
    {"step.is_month_end", OPTION_INT, offsetof(volt_forecast_options, step.is_month_end)},
    {"step.closed_weekdays", OPTION_INT, offsetof(volt_forecast_options, step.closed_weekdays)},
    {"separate", OPTION_INT, offsetof(volt_forecast_options, separate)},
    {"all_rows", OPTION_INT, offsetof(volt_forecast_options, all_rows)},
    {"known.rows", OPTION_INT64, offsetof(volt_forecast_options, known.rows)},
    {"known.cols", OPTION_INT64, offsetof(volt_forecast_options, known.cols)},
    {"known.ld", OPTION_INT64, offsetof(volt_forecast_options, known.ld)},
    {"search_seconds", OPTION_DOUBLE, offsetof(volt_forecast_options, search_seconds)},
    {"seed", OPTION_INT64, offsetof(volt_forecast_options, seed)},
    {"n_coverages", OPTION_INT64, offsetof(volt_forecast_options, n_coverages)},
    {"many_seconds", OPTION_DOUBLE, offsetof(volt_forecast_options, many_seconds)},
    {"missing", OPTION_INT, offsetof(volt_forecast_options, missing)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_row_anomaly_options_fields[] = {
    {"train_rows", OPTION_INT64, offsetof(volt_row_anomaly_options, train_rows)},
    {"rate", OPTION_DOUBLE, offsetof(volt_row_anomaly_options, rate)},
    {"window", OPTION_INT64, offsetof(volt_row_anomaly_options, window)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_pairing_options_fields[] = {
    {"ahead", OPTION_INT64, offsetof(volt_pairing_options, ahead)},
    {"first_ahead", OPTION_INT64, offsetof(volt_pairing_options, first_ahead)},
    {"n_records", OPTION_INT64, offsetof(volt_pairing_options, n_records)},
    {"known_inputs", OPTION_INT64, offsetof(volt_pairing_options, known_inputs)},
    {"allow_target_in_inputs", OPTION_INT, offsetof(volt_pairing_options, allow_target_in_inputs)},
    {"n_classes", OPTION_INT64, offsetof(volt_pairing_options, n_classes)},
    {"fed_outputs", OPTION_INT, offsetof(volt_pairing_options, fed_outputs)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_assess_options_fields[] = {
    {"fitted.rows", OPTION_INT64, offsetof(volt_assess_options, fitted.rows)},
    {"fitted.cols", OPTION_INT64, offsetof(volt_assess_options, fitted.cols)},
    {"fitted.ld", OPTION_INT64, offsetof(volt_assess_options, fitted.ld)},
    {"running", OPTION_INT, offsetof(volt_assess_options, running)},
    {"measure", OPTION_INT, offsetof(volt_assess_options, measure)},
    {"score", OPTION_DOUBLE, offsetof(volt_assess_options, score)},
    {"season", OPTION_INT64, offsetof(volt_assess_options, season)},
    {"season_rows", OPTION_INT64, offsetof(volt_assess_options, season_rows)},
    {"by_loss", OPTION_INT, offsetof(volt_assess_options, by_loss)},
    {"simulated", OPTION_INT, offsetof(volt_assess_options, simulated)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_compare_options_fields[] = {
    {"protocol", OPTION_INT, offsetof(volt_compare_options, protocol)},
    {"n_contenders", OPTION_INT64, offsetof(volt_compare_options, n_contenders)},
    {"gap", OPTION_INT64, offsetof(volt_compare_options, gap)},
    {"n_records", OPTION_INT64, offsetof(volt_compare_options, n_records)},
    {"base.rows", OPTION_INT64, offsetof(volt_compare_options, base.rows)},
    {"base.cols", OPTION_INT64, offsetof(volt_compare_options, base.cols)},
    {"base.ld", OPTION_INT64, offsetof(volt_compare_options, base.ld)},
    {"tolerance", OPTION_DOUBLE, offsetof(volt_compare_options, tolerance)},
    {"n_classes", OPTION_INT64, offsetof(volt_compare_options, n_classes)},
    {"draws", OPTION_INT64, offsetof(volt_compare_options, draws)},
    {"seconds", OPTION_DOUBLE, offsetof(volt_compare_options, seconds)},
    {"folds", OPTION_INT64, offsetof(volt_compare_options, folds)},
    {"race", OPTION_INT, offsetof(volt_compare_options, race)},
    {"from_defaults", OPTION_INT, offsetof(volt_compare_options, from_defaults)},
    {"seed", OPTION_INT64, offsetof(volt_compare_options, seed)},
    {"mcs_size", OPTION_DOUBLE, offsetof(volt_compare_options, mcs_size)},
    {"mcs_reps", OPTION_INT64, offsetof(volt_compare_options, mcs_reps)},
    {"resume", OPTION_INT, offsetof(volt_compare_options, resume)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_curve_options_fields[] = {
    {"n_sizes", OPTION_INT64, offsetof(volt_curve_options, n_sizes)},
    {"points", OPTION_INT64, offsetof(volt_curve_options, points)},
    {"test", OPTION_INT64, offsetof(volt_curve_options, test)},
    {"repeat", OPTION_INT64, offsetof(volt_curve_options, repeat)},
    {"n_records", OPTION_INT64, offsetof(volt_curve_options, n_records)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_capacity_options_fields[] = {
    {"rows", OPTION_INT64, offsetof(volt_capacity_options, rows)},
    {"washout", OPTION_INT64, offsetof(volt_capacity_options, washout)},
    {"degree", OPTION_INT64, offsetof(volt_capacity_options, degree)},
    {"delay", OPTION_INT64, offsetof(volt_capacity_options, delay)},
    {"alpha", OPTION_DOUBLE, offsetof(volt_capacity_options, alpha)},
    {"dimension", OPTION_DOUBLE, offsetof(volt_capacity_options, dimension)},
    {"significance", OPTION_DOUBLE, offsetof(volt_capacity_options, significance)},
    {"threshold", OPTION_DOUBLE, offsetof(volt_capacity_options, threshold)},
    {"seed", OPTION_INT64, offsetof(volt_capacity_options, seed)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_identify_options_fields[] = {
    {"test_inputs.rows", OPTION_INT64, offsetof(volt_identify_options, test_inputs.rows)},
    {"test_inputs.cols", OPTION_INT64, offsetof(volt_identify_options, test_inputs.cols)},
    {"test_inputs.ld", OPTION_INT64, offsetof(volt_identify_options, test_inputs.ld)},
    {"test_outputs.rows", OPTION_INT64, offsetof(volt_identify_options, test_outputs.rows)},
    {"test_outputs.cols", OPTION_INT64, offsetof(volt_identify_options, test_outputs.cols)},
    {"test_outputs.ld", OPTION_INT64, offsetof(volt_identify_options, test_outputs.ld)},
    {"n_records", OPTION_INT64, offsetof(volt_identify_options, n_records)},
    {"n_test_records", OPTION_INT64, offsetof(volt_identify_options, n_test_records)},
    {"seconds", OPTION_DOUBLE, offsetof(volt_identify_options, seconds)},
    {"draws", OPTION_INT64, offsetof(volt_identify_options, draws)},
    {"seed", OPTION_INT64, offsetof(volt_identify_options, seed)},
    {"scale_each", OPTION_INT, offsetof(volt_identify_options, scale_each)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_series_options_fields[] = {
    {"scale", OPTION_INT, offsetof(volt_series_options, scale)},
    {"input", OPTION_INT, offsetof(volt_series_options, input)},
    {"compare", OPTION_INT, offsetof(volt_series_options, compare)},
    {"normalise", OPTION_INT, offsetof(volt_series_options, normalise)},
    {"alpha", OPTION_DOUBLE, offsetof(volt_series_options, alpha)},
    {"draws", OPTION_INT64, offsetof(volt_series_options, draws)},
    {"budget", OPTION_DOUBLE, offsetof(volt_series_options, budget)},
    {"screen", OPTION_INT64, offsetof(volt_series_options, screen)},
    {"landmarks", OPTION_INT64, offsetof(volt_series_options, landmarks)},
    {"folds", OPTION_INT64, offsetof(volt_series_options, folds)},
    {"blend", OPTION_INT64, offsetof(volt_series_options, blend)},
    {"seed", OPTION_INT64, offsetof(volt_series_options, seed)},
    {"splits", OPTION_INT64, offsetof(volt_series_options, splits)},
    {"held_out", OPTION_DOUBLE, offsetof(volt_series_options, held_out)},
    {"n_ranges", OPTION_INT64, offsetof(volt_series_options, n_ranges)},
    {"n_parts", OPTION_INT64, offsetof(volt_series_options, n_parts)},
    {NULL, OPTION_INT, 0}};
static const option_field volt_series_anomaly_options_fields[] = {
    {"scale", OPTION_INT, offsetof(volt_series_anomaly_options, scale)},
    {"input", OPTION_INT, offsetof(volt_series_anomaly_options, input)},
    {"normalise", OPTION_INT, offsetof(volt_series_anomaly_options, normalise)},
    {"compare", OPTION_INT, offsetof(volt_series_anomaly_options, compare)},
    {"score", OPTION_INT, offsetof(volt_series_anomaly_options, score)},
    {"alpha", OPTION_DOUBLE, offsetof(volt_series_anomaly_options, alpha)},
    {"rate", OPTION_DOUBLE, offsetof(volt_series_anomaly_options, rate)},
    {"draws", OPTION_INT64, offsetof(volt_series_anomaly_options, draws)},
    {"seed", OPTION_INT64, offsetof(volt_series_anomaly_options, seed)},
    {NULL, OPTION_INT, 0}};
static const option_structure option_structures[] = {
    {"volt_read_options", sizeof(volt_read_options), volt_read_options_fields},
    {"volt_write_options", sizeof(volt_write_options), volt_write_options_fields},
    {"volt_gram_options", sizeof(volt_gram_options), volt_gram_options_fields},
    {"volt_fit_options", sizeof(volt_fit_options), volt_fit_options_fields},
    {"volt_predict_options", sizeof(volt_predict_options), volt_predict_options_fields},
    {"volt_explain_options", sizeof(volt_explain_options), volt_explain_options_fields},
    {"volt_live_options", sizeof(volt_live_options), volt_live_options_fields},
    {"volt_export_options", sizeof(volt_export_options), volt_export_options_fields},
    {"volt_split_options", sizeof(volt_split_options), volt_split_options_fields},
    {"volt_draw_options", sizeof(volt_draw_options), volt_draw_options_fields},
    {"volt_evidence_options", sizeof(volt_evidence_options), volt_evidence_options_fields},
    {"volt_search_options", sizeof(volt_search_options), volt_search_options_fields},
    {"volt_simulate_options", sizeof(volt_simulate_options), volt_simulate_options_fields},
    {"volt_bekk_simulate_options", sizeof(volt_bekk_simulate_options), volt_bekk_simulate_options_fields},
    {"volt_bekk_fit_options", sizeof(volt_bekk_fit_options), volt_bekk_fit_options_fields},
    {"volt_mcs_options", sizeof(volt_mcs_options), volt_mcs_options_fields},
    {"volt_forecast_options", sizeof(volt_forecast_options), volt_forecast_options_fields},
    {"volt_row_anomaly_options", sizeof(volt_row_anomaly_options), volt_row_anomaly_options_fields},
    {"volt_pairing_options", sizeof(volt_pairing_options), volt_pairing_options_fields},
    {"volt_assess_options", sizeof(volt_assess_options), volt_assess_options_fields},
    {"volt_compare_options", sizeof(volt_compare_options), volt_compare_options_fields},
    {"volt_curve_options", sizeof(volt_curve_options), volt_curve_options_fields},
    {"volt_capacity_options", sizeof(volt_capacity_options), volt_capacity_options_fields},
    {"volt_identify_options", sizeof(volt_identify_options), volt_identify_options_fields},
    {"volt_series_options", sizeof(volt_series_options), volt_series_options_fields},
    {"volt_series_anomaly_options", sizeof(volt_series_anomaly_options), volt_series_anomaly_options_fields},
};
enum { OPTION_STRUCTURES = (int)(sizeof option_structures / sizeof *option_structures) };
/* clang-format on */

#endif
