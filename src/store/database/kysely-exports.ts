/** Exports the parts of kysely that the program uses on any database. */
export { CompiledQuery, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
