/**
 * Countries where numbers are for sale (section 4.4). Separate from the schemas, because providers need only the list. Stored
 * numbers and exported data name them, so one is added, with its plan in number-plans.ts, and never removed.
 */
export const countries = ['US', 'CA', 'GB', 'AU', 'IL', 'PL', 'FI', 'NL', 'DK', 'IT'] as const
export type Country = (typeof countries)[number]
