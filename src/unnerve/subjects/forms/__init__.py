"""Forms of models, one file each: what opens ``FILE.onnx``, ``zoo:NAME`` and so on."""
