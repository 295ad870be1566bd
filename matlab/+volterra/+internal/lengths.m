function lengths = lengths(records)
% Lengths of the runs of equal values: one record for each run.
  if iscellstr(records)
    [~, ~, records] = unique(records);
  end
  records = records(:);
  ends = [find(diff(records) ~= 0); numel(records)];
  if numel(unique(records(ends))) < numel(ends)
    error('volterra:argument', 'the rows of a record must be consecutive');
  end
  lengths = diff([0; ends]);
end
