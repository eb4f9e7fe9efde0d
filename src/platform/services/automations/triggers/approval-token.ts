import type { Deps } from '../../runtime/deps.ts'
import { VaultError } from '../../runtime/vault.ts'

const label = (run: string): string => `approval ${run}`

/** Returns a token for the approval links of a run. */
export const createApprovalToken = (vault: Deps['vault'], run: string): string => vault.seal(run, label(run))

/** Returns whether a token of an approval link is for this run. @throws VaultError if the encryption key is unusable */
export function isApprovalToken(vault: Deps['vault'], run: string, token: string): boolean {
  try {
    return vault.open(token, label(run)) === run
  } catch (error) {
    if (error instanceof VaultError || error instanceof SyntaxError || error instanceof RangeError) return false
    throw error
  }
}
