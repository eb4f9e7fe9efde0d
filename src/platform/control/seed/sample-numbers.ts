/** The numbers that the sample account has bought: what it searched for, and how many days ago. The first answers calls. */
export const sampleNumbers = [
  { country: 'US', contains: '415', limit: 1, days: 20 },
  { country: 'GB', contains: '20', limit: 1, days: 15 },
] as const
