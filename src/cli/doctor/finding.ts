/** What one check found: a sentence, and the way out where something is not as it should be. */
export interface Finding {
  /** Stable, for programs. */
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

const titles: Readonly<Record<string, string>> = {
  parley: 'Program',
  server: 'Local server',
  platform_clock: 'Platform clock',
  provider_telephony: 'Telephone company',
  provider_payments: 'Payment processor',
  provider_reader: 'Website reader',
  provider_voice: 'SIP provider',
  reach: 'Connection',
  tls: 'Encryption',
  key: 'API key',
}

/** The name of a check for people. */
export const titleOf = ({ check }: Finding): string => {
  const words = titles[check] ?? check.replace(/^provider_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
