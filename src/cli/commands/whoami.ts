import { user } from '../../contract/resources/user.ts'
import { command } from '../commandline/command.ts'
import { maskKey } from '../configuration/profiles.ts'
import { sendRequest } from '../connection/send-request.ts'

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
    await context.out.record({
      ...me,
      profile: profileName.value,
      base_url: baseUrl.value,
      via: connected.via,
      key: token ? maskKey(token) : null,
      origin: { profile: profileName.from, base_url: baseUrl.from, key: key.from },
    })
  },
})
