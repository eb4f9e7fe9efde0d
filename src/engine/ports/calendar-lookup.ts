import type { Provider, ProviderResult } from './provider.ts'

/** The endpoint and credentials of a calendar of the first kind. */
export interface CalendarAccess {
  readonly apiKey: string
  /** `us`, `eu`, or the base URL of a self-hosted deployment. */
  readonly endpoint: string
}

/** Reads the calendars that assistants book in. It changes nothing there. */
export interface CalendarLookup extends Provider {
  /** Returns the name of an event; refused if the credentials give no access to it. */
  eventName(access: CalendarAccess, event: string): Promise<ProviderResult<{ readonly name: string }>>
  /** Returns whether an event type of the second kind, a URI, belongs to the account of the token. */
  ownsEventType(token: string, uri: string): Promise<boolean>
}
