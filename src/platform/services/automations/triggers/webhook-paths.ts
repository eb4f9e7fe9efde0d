import type { Deps } from '../../runtime/deps.ts'
import { VaultError } from '../../runtime/vault.ts'

/** Path prefix of the addresses that resume waiting runs. They were sent to people: it never changes. */
export const callbacksPath = '/automate/api/v1/flow-runs/'

/** Returns the path that ends a wait. */
export const callbackPath = (wait: string): string => `${callbacksPath}${encodeURIComponent(wait)}`

/** Returns the path of the links that answer an approval of a run. */
export const approvalPath = (run: string): string => `${callbacksPath}${run}/resume`

/** Returns the vault label of the token of an approval. Links that were sent open only with it, so it never changes. */
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
