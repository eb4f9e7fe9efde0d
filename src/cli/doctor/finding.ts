/** What one check found: a sentence, and the way out where something is not as it should be. */
export interface Finding {
  /** Stable, for programs. */
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly detail: string
  readonly hint: string | null
  /** What of the account it is about: the noun of its commands, its id and its name; null for everything else. */
  readonly noun: string | null
  readonly id: number | string | null
  readonly name: string | null
}

const noSubject = { noun: null, id: null, name: null } as const

export const ok = (check: string, detail: string): Finding => ({
  check,
  status: 'ok',
  detail,
  hint: null,
  ...noSubject,
})
export const warning = (check: string, detail: string, hint: string): Finding => ({
  check,
  status: 'warning',
  detail,
  hint,
  ...noSubject,
})
export const failed = (check: string, detail: string, hint: string): Finding => ({
  check,
  status: 'failed',
  detail,
  hint,
  ...noSubject,
})

/** A check that ended in an error, in the error's own words. */
export function failedWith(check: string, error: unknown): Finding {
  const { message, hint } = error as Error & { readonly hint?: string }
  return { check, status: 'failed', detail: message, hint: hint ?? null, ...noSubject }
}

const titles: Readonly<Record<string, string>> = {
  parley: 'Program',
  server: 'Local server',
  platform_clock: 'Platform clock',
  provider_payments: 'Payment processor',
  provider_reader: 'Website reader',
  provider_crm: 'CRM',
  provider_carrier: 'Call carrier',
  provider_telephony: 'Number provider',
  provider_language: 'Language model',
  provider_voice: 'SIP provider',
  reach: 'Connection',
  tls: 'Encryption',
  key: 'API key',
  account: 'Account',
  account_lists: 'Readable resources',
  sms_number: 'SMS number',
  sip_trunk: 'SIP trunk',
}

/** The name of a check for people. */
export const titleOf = ({ check }: Finding): string => {
  const words = titles[check] ?? check.replace(/^provider_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
