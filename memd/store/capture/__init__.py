"""What capture keeps beside the memories: which statements were offered, and the reports of its passes."""
