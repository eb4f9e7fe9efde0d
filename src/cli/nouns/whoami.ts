import { user } from '../../contract/resources/user.ts'
import { command } from '../program/commandline/command.ts'
import { platformText } from '../program/configuration/active-profile.ts'
import { maskKey } from '../program/configuration/profiles.ts'
import { settingOrigins } from '../program/configuration/setting-origins.ts'
import { balanceText } from '../program/connection/balance-text.ts'
import type { Connection } from '../program/connection/connect.ts'
import { sendRequest } from '../program/connection/send-request.ts'

/** The types of a connection, for people. */
const viaTexts: Readonly<Record<Connection['via'], string>> = {
  embedded: 'data folder',
  local_server: 'local server',
  remote: 'remote',
}

export const whoami = command({
  summary: 'Show the account, platform and profile in use',
  endpoint: user.me,
  examples: ['', '--json'],
  async run(context) {
    const me = await sendRequest(context, user.me, {})
    if (!me) return
    const { profileName, baseUrl, key } = await context.settings()
    const connected = await context.connection()
    const token = await connected.key()
    const { out, system } = context
    const from = { profile: profileName.from, base_url: baseUrl.from, key: key.from }
    const isForPeople = out.settings.form === 'table' && !out.settings.fields
    const shown = {
      ...me,
      profile: profileName.value,
      base_url: baseUrl.value,
      via: connected.via,
      key: token ? maskKey(token) : null,
    }
    if (!isForPeople) return out.record({ ...shown, origin: settingOrigins(from) })
    const { total_balance: balance } = me
    await out.record(
      {
        ...shown,
        // The unit is another request, so only a person gets it.
        total_balance:
          context.interactive && typeof balance === 'number' ? await balanceText(context, balance) : balance,
        base_url: platformText(system, baseUrl.value),
        via: viaTexts[connected.via],
        origin: from,
      },
      {
        view: {
          id: () => profileName.value,
          columns: [
            { key: 'total_balance', title: 'Balance', priority: 1 },
            { key: 'base_url', title: 'Platform', priority: 1 },
          ],
          empty: '',
        },
      },
    )
  },
})
