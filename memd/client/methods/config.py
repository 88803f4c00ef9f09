"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.plain.settings import SettingChanged, SettingsInForce


class ConfigMethods:
    """The methods `config.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def get(
        self,
        *,
        key: str = "",
        role: str | None = None,
        declared: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> SettingsInForce:
        """Tell the settings in force.

        role: as they are in force for this role
        declared: how each is declared and where it is set, and the file as it is
        """
        found: SettingsInForce = typed(
            "config.get", "plain.settings.SettingsInForce", self._client.call("config.get", **given(self.get, locals()))
        )
        return found

    def set(
        self,
        *,
        key: str,
        value: bool | int | float | str | None = None,
        unset: bool = False,
        role: str | None = None,
        reader: Literal["person", "model"] = "person",
    ) -> SettingChanged:
        """Change a setting, or take it out of its file; comments stay.

        unset: take it out of the file: what holds without it holds again
        role: in its role.toml
        """
        found: SettingChanged = typed(
            "config.set", "plain.settings.SettingChanged", self._client.call("config.set", **given(self.set, locals()))
        )
        return found


class AsyncConfigMethods:
    """The methods `config.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def get(
        self,
        *,
        key: str = "",
        role: str | None = None,
        declared: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> SettingsInForce:
        """Tell the settings in force.

        role: as they are in force for this role
        declared: how each is declared and where it is set, and the file as it is
        """
        found: SettingsInForce = typed(
            "config.get",
            "plain.settings.SettingsInForce",
            await self._client.call("config.get", **given(self.get, locals())),
        )
        return found

    async def set(
        self,
        *,
        key: str,
        value: bool | int | float | str | None = None,
        unset: bool = False,
        role: str | None = None,
        reader: Literal["person", "model"] = "person",
    ) -> SettingChanged:
        """Change a setting, or take it out of its file; comments stay.

        unset: take it out of the file: what holds without it holds again
        role: in its role.toml
        """
        found: SettingChanged = typed(
            "config.set",
            "plain.settings.SettingChanged",
            await self._client.call("config.set", **given(self.set, locals())),
        )
        return found
