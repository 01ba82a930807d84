-- Coefficients of nearest-neighbour search, written by tools/fit/vector_search.lua; do not edit.
-- Fitted to published times and recalls of Faiss (facebookresearch/faiss@02dbb4e42f, benchs/README.md); access_s, ef
-- and recall.spread are assumptions. errors: of every index predicted without it.
return {
  cpu = {
    access_s = 6e-08,
    call_s = 1.003e-05,
    dense = 0.5996,
    lookup_flop = 20.95,
    query_s = 5.007e-06,
    result_s = 2e-08,
    scan = 0.15,
  },
  errors = {
    recall = {
      mean = 0.06159,
      median = 0.03762,
      rows = 45,
    },
    time = {
      mean = 0.2432,
      median = 0.2346,
      rows = 56,
    },
  },
  gpu = {
    access_s = 5e-09,
    call_s = 0.001035,
    dense = 0.6213,
    lookup_flop = 90.89,
    query_s = 3.07e-06,
    result_s = 6.274e-08,
    scan = 0.1004,
  },
  recall = {
    code = -0.1321,
    code_log10 = -0.09697,
    code_log2 = 0.6113,
    ef = -1,
    ef_log2 = 0.46,
    probe = -0.0695,
    probe_log2 = 0.2897,
    spread = 0.5,
  },
  spread = {
    0.6714,
    1.553,
  },
}
