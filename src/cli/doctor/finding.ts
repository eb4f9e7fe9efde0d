/** What one check found: a sentence, and the way out where something is not as it should be. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly detail: string
  readonly hint: string | null
}

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail, hint: null })
export const warning = (check: string, detail: string, hint: string): Finding => ({ check, status: 'warning', detail, hint })
export const failed = (check: string, detail: string, hint: string): Finding => ({ check, status: 'failed', detail, hint })

/** A check that ended in an error, in the error's own words. */
export function failedBy(check: string, error: unknown): Finding {
  const { message, hint } = error as Error & { readonly hint?: string }
  return { check, status: 'failed', detail: message, hint: hint ?? null }
}
