/** Commands that answer only for a database in PostgreSQL; their consent and output are tested in test/cli/nouns/server/database.citus.neutral.test.ts. */
export const postgresCommands: readonly string[] = ['server database distribute', 'server database status']
