"""What KuK prints in Tables 3 and 4, and how it writes the names of networks and attacks."""

__all__ = ["ATTACKS", "AUC", "MEANS", "TITLES", "benign_vro"]

TITLES = {
    "lenet5": "LeNet-5",
    "nin": "NIN",
    "resnet20": "ResNet-20",
    "mobilenet_v2": "MobileNetV2",
    "resnet32": "ResNet-32",
    "resnet44": "ResNet-44",
}
ATTACKS = {"bim": "BIM", "carlini_wagner": "C&W", "deepfool": "Deepfool", "fgsm": "FGSM"}
"""In the order of the tables' rows."""

# Table 3, in per cent, by attack: PCS, VRO, VR, PE, MI.
AUC = {
    "lenet5": (
        (99.98, 99.06, 90.72, 83.56, 81.52),
        (100.00, 99.08, 90.23, 82.86, 81.61),
        (99.44, 98.31, 93.47, 86.46, 84.78),
        (99.98, 98.74, 95.52, 90.09, 87.36),
    ),
    "nin": (
        (99.95, 99.46, 88.57, 86.73, 86.95),
        (99.90, 99.44, 87.93, 85.99, 86.48),
        (99.79, 99.18, 91.44, 88.64, 88.51),
        (99.43, 98.80, 93.97, 91.69, 91.54),
    ),
    "resnet20": (
        (99.97, 98.20, 86.74, 84.62, 85.10),
        (99.88, 98.28, 85.87, 83.93, 84.59),
        (99.80, 97.85, 88.02, 85.70, 86.23),
        (99.23, 97.28, 90.74, 88.25, 88.24),
    ),
    # Printed of MobileNet; its second version stands in for it, because weights of that circulate at 224 pixels.
    "mobilenet_v2": (
        (99.95, 86.67, 84.25, 68.77, 68.37),
        (96.80, 84.49, 82.73, 67.80, 67.35),
        (79.36, 77.47, 77.13, 74.03, 72.32),
        (97.79, 87.93, 86.49, 72.75, 71.84),
    ),
}
# Table 4: means of PCS and VRO of benign inputs, then of each attack.
MEANS = {
    "lenet5": ((0.990, 0.312), (0.018, 0.733), (0.002, 0.735), (0.186, 0.697), (0.012, 0.716)),
    "nin": ((0.953, 0.054), (0.007, 0.777), (0.013, 0.777), (0.027, 0.720), (0.083, 0.679)),
    "resnet20": ((0.945, 0.072), (0.005, 0.865), (0.016, 0.869), (0.023, 0.850), (0.096, 0.828)),
    "mobilenet_v2": ((0.788, 0.337), (0.002, 0.679), (0.085, 0.652), (0.415, 0.596), (0.059, 0.696)),
}


def benign_vro(network: str) -> float:
    """Return the mean VRO of benign inputs that Table 4 prints; of ResNet-20 for the deeper ones."""
    return MEANS["resnet20" if network.startswith("resnet") else network][0][1]
