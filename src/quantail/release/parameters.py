"""Parameters as scikit-learn expects them of an estimator, so that its tools can copy and vary a synthesizer.

scikit-learn itself is not needed: its conventions are names of methods. `clone` makes a synthesizer anew from
`get_params`, and wants back the very objects that were passed; so they are kept apart from what is made of them.
"""

from inspect import signature
from typing import Any, Self

from quantail.errors import OptionError


class Parameters:
    """Remembers what a synthesizer was made with.

    Examples
    --------
    >>> from quantail.examples import paper_schema
    >>> from quantail.table import TableSynthesizer
    >>> TableSynthesizer(paper_schema(), "1/4").set_params(epsilon=2).get_params()["epsilon"]
    2
    """

    _given: dict[str, Any]

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Note what is given before anything is made of it."""
        made = super().__new__(cls)
        # Copying and unpickling make an object without arguments and fill it afterwards.
        bound = signature(cls.__init__).bind_partial(made, *given, **named)
        bound.apply_defaults()
        made._given = dict(list(bound.arguments.items())[1:])
        made._given |= made._given.pop(
            "options", {}
        )  # those of the method, where they are not listed one by one
        return made

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as they were given.

        `deep`: makes no difference here: no parameter is an estimator itself.
        """
        return dict(self._given)

    def set_params(self, **changed: Any) -> Self:
        """Change parameters; what was fitted with the old ones is forgotten.

        Raises an OptionError if there is no such parameter, or a value is not allowed.
        """
        for name in changed:
            if name not in self._given:
                known = ", ".join(self._given)
                raise OptionError(f"there is no parameter {name!r}; choose among {known}")
        made = type(self)(**{**self._given, **changed})
        self.__dict__.clear()
        self.__dict__.update(made.__dict__)
        return self

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn, which alone calls this, that there is nothing to predict."""
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(two_d_array=True, categorical=True, string=True, allow_nan=True)
        return Tags(None, TargetTags(required=False), input_tags=inputs, requires_fit=True)
