"""Business panels of the kind of the Synthetic Longitudinal Business Database (SynLBD): a stand-in, and the study."""
