"""The paper's year-by-year synthesis of a panel, made valid: settings, design, fitting, model."""
