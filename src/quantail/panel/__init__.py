"""Panels: units over periods. From confidential histories to a released model, and to synthetic ones."""

from quantail.panel.appended import AppendedPanel
from quantail.panel.appending import PeriodSynthesizer
from quantail.panel.model import PanelModel
from quantail.panel.synthesizer import PanelSynthesizer

__all__ = ["AppendedPanel", "PanelModel", "PanelSynthesizer", "PeriodSynthesizer"]
