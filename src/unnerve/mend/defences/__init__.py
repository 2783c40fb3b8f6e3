"""Defences against adversarial inputs: detectors; input transforms are in ``generate/transforms``."""
