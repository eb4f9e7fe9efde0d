import type { Migration } from '../connection.ts'
import { first } from './0001-first.ts'
import { assistants } from './0002-assistants.ts'
import { campaigns } from './0003-campaigns.ts'
import { conversations } from './0004-conversations.ts'

/** Every step of the schema, oldest first. */
export const migrations: readonly Migration[] = [first, assistants, campaigns, conversations]
