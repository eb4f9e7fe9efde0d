import { needsConsent, oneForEachPipe } from './support/consent.ts'

// What test/cli/consent/require-confirmation.test.ts holds every command to, with real pipes: one command for each of them. consent.full.test.ts has every command.

needsConsent(oneForEachPipe)
