import type { Migration } from '../connection.ts'
import { first } from './0001-first.ts'

/** Every step of the schema, oldest first. */
export const migrations: readonly Migration[] = [first]
