"""Studies that rerun published work with this package; nothing else in the package depends on them.

simulation, epsilon_curves, ablation    the studies; combination puts several simulation studies together
methods, bare_ladder, squeeze           what they run: methods by name, and the steps of the ablation in between
published, pmse_mechanism               the paper's mechanisms as published: NOT PRIVATE
runner, journal                         every task once, in parallel, surviving a kill
summary, paper_tables, *_figure(s)      tables beside the paper's figures, and plots
"""
