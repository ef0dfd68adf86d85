"""Where the measures come from, one constant per source."""

ALAM = "Alam et al. (2020), Applying data synthesis for longitudinal business data, arXiv 2008.02246"
ARNOLD = "Arnold and Neunhoeffer (2020), Really useful synthetic data, arXiv 2004.07740"
BREIMAN = (
    "Breiman et al. (1984), Classification and Regression Trees, Wadsworth; null as in Snoke et al. (2018)"
)
CRAMER = "Cramér (1946), Mathematical Methods of Statistics, Princeton University Press"
DAVIS = "Davis, Haltiwanger and Schuh (1996), Job Creation and Destruction, MIT Press"
EMBRECHTS = "Embrechts, Klüppelberg and Mikosch (1997), Modelling Extremal Events, Springer"
GINI = "Gini (1912); Cowell (2011), Measuring Inequality, Oxford University Press"
HILL = "Hill (1975), A simple general approach to inference about the tail of a distribution, Ann. Stat. 3"
HOERL = "Hoerl and Kennard (1970), Ridge regression, Technometrics 12; pMSE as in Snoke et al. (2018)"
KARR = "Karr et al. (2006), A framework for evaluating the utility of data altered to protect confidentiality, TAS 60"
KENDALL = "Kendall (1938), A new measure of rank correlation, Biometrika 30"
KOLMOGOROV = "Massey (1951), The Kolmogorov-Smirnov test for goodness of fit, JASA 46"
PEARSON = "Pearson (1895), Note on regression and inheritance in the case of two parents, Proc. R. Soc. 58"
PIKETTY = "Piketty and Saez (2003), Income inequality in the United States, QJE 118"
SNOKE = "Snoke et al. (2018), General and specific utility measures for synthetic data, JRSS A 181"
SPEARMAN = "Spearman (1904), The proof and measurement of association between two things, Am. J. Psychol. 15"
TASK = "Task et al. (2021), SDNist: benchmark data and evaluation tools for data synthesizers, NIST"
TIBSHIRANI = (
    "Tibshirani (1996), Regression shrinkage via the lasso, JRSS B 58; pMSE as in Snoke et al. (2018)"
)
TRAN = "Tran, Reimherr and Slavković (2023), Differentially private synthetic heavy-tailed data, arXiv 2309.02416"
VILLANI = "Villani (2009), Optimal Transport, Springer"
