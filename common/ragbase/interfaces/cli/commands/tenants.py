"""ragbase tenants"""

from __future__ import annotations

import click

from ragbase.engine.tenant_names import check_tenancy
from ragbase.interfaces.cli.messages import RemovedTenantSummary, TenantList, TenantSummary
from ragbase.interfaces.cli.screen import counted, print_json, print_table, visible
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options, typed_name
from ragbase.upkeep.tenants import Holdings, tenants

COLUMNS = ("TENANT", "DOCUMENTS", "FAILED", "CHUNKS", "EMBEDDED", "TOKENS")
NO_FOLDER = "(no folder)"
KEPT = (
    "Kept: the tombstones of its documents, with their names and costs, until they expire; dead letters; logs; and "
    "what the bucket itself keeps of deleted objects."
)


@click.group("tenants")
@session_options
def command() -> None:
    """Show the tenants, or delete one with all it has.

    With the setting `tenancy` = folder, the first folder of a document's name is its tenant.
    """


@command.command("list")
@json_option
@session_options
@pass_session
def list_tenants(session: Session, as_json: bool) -> None:
    """List the tenants that have documents.

    EMBEDDED and TOKENS show what their documents have cost. It reads every record.
    """
    with session.profile() as profile:
        check_tenancy(profile.config.tenancy)
        found = tenants(profile.documents, profile.bucket.name)
    if as_json:
        print_json(TenantList(tenants=tuple(map(_summary, found))))
    elif found:
        print_table(COLUMNS, map(_row, found), right=COLUMNS[1:])
        click.echo(f"\n{counted(len(found), 'tenant')}")
    else:
        click.echo("No tenants yet: there are no documents.")


@command.command("delete")
@click.argument("name", callback=typed_name)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@session_options
@pass_session
def delete_tenant(session: Session, name: str, yes: bool, as_json: bool) -> None:
    """Delete a tenant with its objects, its documents and its chunks.

    NAME is the folder; "" stands for the documents without a folder. Stop uploads to it first. After an interruption,
    the same command goes on.
    """
    from ragbase.engine.remove_tenant import remove_tenant

    shown = visible(name) or NO_FOLDER
    with session.profile() as profile:
        check_tenancy(profile.config.tenancy)
        if not yes:
            total = profile.documents.count(tenant=name)
            click.confirm(f"Delete the tenant {shown} with {counted(total, 'document')}?", abort=True, err=True)
        removed = remove_tenant(name, profile)
    if as_json:
        print_json(RemovedTenantSummary(tenant=name, objects=removed.objects, documents=removed.documents))
    else:
        click.echo(
            f"{shown}: {counted(removed.documents, 'document')} and {counted(removed.objects, 'object')} deleted"
        )
        click.echo(KEPT, err=True)


def _summary(one: Holdings) -> TenantSummary:
    return TenantSummary(
        tenant=one.tenant,
        documents=one.documents,
        failed=one.failed,
        chunks=one.chunks,
        embedded_texts=one.usage.embedded_texts,
        billed_tokens=one.usage.billed_tokens,
    )


def _row(one: Holdings) -> tuple[str, ...]:
    numbers = (one.documents, one.failed, one.chunks, one.usage.embedded_texts, one.usage.billed_tokens)
    return (one.tenant or NO_FOLDER, *(f"{number:,}" for number in numbers))
