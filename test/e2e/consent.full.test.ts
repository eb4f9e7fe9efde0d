import { everyCommand, needsConsent } from './support/consent.ts'

// Every command that wants consent, with a real pipe.

needsConsent(everyCommand)
