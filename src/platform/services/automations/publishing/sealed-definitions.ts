import { isDeepStrictEqual } from 'node:util'
import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { maskDefinition } from '../../../../engine/definition/mask.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import type { VersionRow } from '../../../store/automations/automation-versions.ts'
import type { Vault } from '../../runtime/vault.ts'

/** Returns the vault label of the definitions of an account. Stored values open only with it, so it never changes. */
const definitionLabel = (account: number): string => `automation definition of account ${account}`

/**
 * Returns the stored form of a compiled definition or a definition: JSON, sealed if it has secrets such as a header with
 * a token.
 */
export function sealDefinition(vault: Vault, account: number, trigger: AutomationNode): string {
  const text = stringifyJson(trigger)
  return isDeepStrictEqual(maskDefinition(trigger), trigger) ? text : vault.seal(text, definitionLabel(account))
}

/** Returns a stored definition as JSON. Rows of earlier versions are not sealed. @throws VaultError */
export const openDefinition = (vault: Vault, account: number, stored: string): string =>
  stored.startsWith('{') ? stored : vault.open(stored, definitionLabel(account))

/** Parses the definition of a version. @throws VaultError */
export const readDefinition = (
  vault: Vault,
  { definition, account_id }: Pick<VersionRow, 'definition' | 'account_id'>,
): AutomationNode => parseJson(openDefinition(vault, account_id, definition))
