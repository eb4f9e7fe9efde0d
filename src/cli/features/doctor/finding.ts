/**
 * Result of one check, with a hint for fixing a problem. Scripts read it as JSON: fields, checks and statuses are added,
 * not renamed.
 */
export interface Finding {
  /** Stable name for scripts. */
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly detail: string
  readonly hint: string | null
  /** Subject in the account: the noun of its commands, its id and its name; otherwise null. */
  readonly noun: string | null
  readonly id: number | string | null
  readonly name: string | null
  /** The record that shows the problem, such as the run that failed. */
  readonly record?: { readonly noun: string; readonly id: string }
}

const noSubject = { noun: null, id: null, name: null } as const

/** Creates a finding without a problem. */
export const ok = (check: string, detail: string): Finding => ({
  check,
  status: 'ok',
  detail,
  hint: null,
  ...noSubject,
})
/** Creates a warning. */
export const warning = (check: string, detail: string, hint: string): Finding => ({
  check,
  status: 'warning',
  detail,
  hint,
  ...noSubject,
})
/** Creates a finding of a failed check. */
export const failed = (check: string, detail: string, hint: string): Finding => ({
  check,
  status: 'failed',
  detail,
  hint,
  ...noSubject,
})

/** Creates a finding from an error that stopped the check. */
export function failedWith(check: string, error: unknown): Finding {
  const { message, hint } = error as Error & { readonly hint?: string }
  return { check, status: 'failed', detail: message, hint: hint ?? null, ...noSubject }
}

const titles: Readonly<Record<string, string>> = {
  parley: 'Program',
  server: 'Local server',
  node: 'Version of Node',
  database_settings: 'Database settings',
  platform_clock: 'Platform clock',
  provider_payments: 'Payment processor',
  provider_reader: 'Website reader',
  provider_crm: 'CRM',
  provider_carrier: 'Call carrier',
  provider_telephony: 'Number provider',
  provider_language: 'Language model',
  provider_voice: 'SIP provider',
  provider_texting: 'SMS carrier',
  provider_sheets: 'Spreadsheets',
  faults: 'Fault rules',
  reach: 'Connection',
  tls: 'Encryption',
  key: 'API key',
  account: 'Account',
  account_lists: 'Readable resources',
  sms_number: 'SMS number',
  sip_trunk: 'SIP trunk',
}

/** Returns the title of a check for people. */
export const titleOf = ({ check }: Finding): string => {
  const words = titles[check] ?? check.replace(/^provider_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
