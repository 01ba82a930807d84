# The same question from Python, by ctypes.
import ctypes, json, sys

library = ctypes.CDLL("libballpark.so.1")
library.ballpark_open.restype = ctypes.c_void_p
library.ballpark_answer.restype = ctypes.c_char_p
library.ballpark_answer.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
engine = library.ballpark_open(None, None)
question = {"model": "llama-3.1-8b", "devices": ["H100", "L4"], "sla": {"ttft_s": 1},
            "load": {"rate_per_s": 20, "input_tokens": 1000, "output_tokens": 200}}
code = ctypes.c_int()
answer = json.loads(library.ballpark_answer(engine, b"serve_search", json.dumps(question).encode(), code))
print(answer["facts"]["fleet"]["values"]["fleet"])
sys.exit(code.value)
