// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import { phoneBlocksSchema } from '../campaigns/phone-search.ts'
import type { Migration } from '../database/connection.ts'

/** Indexes for searches in the numbers of leads on SQLite. */
export const leadNumbers: Migration = { version: 12, name: 'lead-numbers', up: phoneBlocksSchema }
