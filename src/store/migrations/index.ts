import type { Migration } from '../connection.ts'
import { first } from './0001-first.ts'
import { assistants } from './0002-assistants.ts'

/** Every step of the schema, oldest first. */
export const migrations: readonly Migration[] = [first, assistants]
