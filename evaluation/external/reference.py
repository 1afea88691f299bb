"""Makes ../worker/data/objectives.json from the cases that are printed by

    cargo run -p evaluation-worker --example cases | python reference.py > ../worker/data/objectives.json

Outputs are NumPy's, derivatives JAX's; both are compared with what the other has, and derivatives with differences.
"""
import json
import sys

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np

from objectives import derivatives, objective, summary

cases = json.load(sys.stdin)
for case in cases:
    x, data = (np.array(case[key]) for key in ("inputs", "data"))
    outputs = objective(np, case["name"], case["sizes"], data)
    value, gradient = derivatives(case["name"], case["sizes"], data)(jnp.asarray(x))
    np.testing.assert_allclose(value, summary(np, outputs(x)), rtol=1e-13)
    if outputs(x).shape == (1,):
        for i in range(len(x)):
            h = 1e-5 * np.eye(len(x))[i]
            difference = (outputs(x + h)[0] - outputs(x - h)[0]) / 2e-5
            np.testing.assert_allclose(gradient[i], difference, rtol=1e-6, atol=1e-7 * np.abs(gradient).max())
    case["outputs"] = outputs(x).tolist()
    case["derivatives"] = np.asarray(gradient).tolist()
json.dump(cases, sys.stdout)
print()
