/** Countries where numbers are for sale (section 4.4). A file of its own: providers need the list and none of the schemas. */
export const countries = ['US', 'CA', 'GB', 'AU', 'IL', 'PL', 'FI', 'NL', 'DK', 'IT'] as const
export type Country = (typeof countries)[number]
