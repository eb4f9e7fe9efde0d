import { localPlatform } from '../transport/platform-address.ts'

/** Returns the name of a platform at the beginning of a sentence: its base URL, or "The local platform". */
export const platformAtStart = (base: string): string => (base === localPlatform ? 'The local platform' : base)

/** Returns the name of a platform for the middle of a sentence: its base URL, or "the local platform". */
export const platformName = (base: string): string => (base === localPlatform ? 'the local platform' : base)
