import { expect, test } from 'vitest'
import { openStore } from '../../../../src/platform/store/database/open-store.ts'
import { findSettingProblems, type PoolerSettings } from '../../../../src/platform/store/postgres/setting-problems.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases } from '../../../support/databases.ts'

test.each(databases)(
  'settings in front of $name that servers work badly with are named, with what to do',
  async ({ name, target }) => {
    const where = await target()
    const opened = async (options: string, isPooled = true) => {
      if (!('url' in where)) return openStore(where)
      const url = new URL(where.url)
      if (options) url.searchParams.set('options', options)
      return openStore({ url: url.href, options: { isPooled } })
    }
    const problems = async (options: string, pooler?: PoolerSettings, isPooled = true): Promise<string[]> => {
      const store = await opened(options, isPooled)
      afterFile(() => store.close())
      const found = pooler
        ? await findSettingProblems(store.read, pooler, { directUrl: 'postgres://127.0.0.1/parley' })
        : ((await store.findSettingProblems?.()) ?? [])
      return found.map((it) => it.fix)
    }
    // A database in a file has nothing in front of it.
    if (name === 'sqlite') return expect(await problems('')).toEqual([])

    expect(await problems('', undefined, false)).toEqual([])
    expect(await problems('')).toEqual([
      expect.stringMatching(/^alter role \w+ set statement_timeout = '30s'$/),
      expect.stringMatching(/^alter role \w+ set idle_in_transaction_session_timeout = '5s'$/),
      'Set --database-direct (PARLEY_DATABASE_DIRECT) to the address of PostgreSQL itself.',
    ])
    const limits = '-c statement_timeout=30s -c idle_in_transaction_session_timeout=5s'
    expect(await problems(limits)).toEqual([expect.stringContaining('--database-direct')])
    expect(await problems(limits, { server_login_retry: '1', default_pool_size: '30' })).toEqual([])
    expect(await problems(limits, { server_login_retry: '15', default_pool_size: '5' })).toEqual([
      'Set server_login_retry = 1 in pgbouncer.ini.',
      'Set default_pool_size in pgbouncer.ini to the sum of --database-connections of all servers.',
    ])
  },
)
