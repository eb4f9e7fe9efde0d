const { startPlatform } = require('parley-cli/platform')
const scenario = require('./scenario.cjs')

test('the platform works in Jest', () => scenario(startPlatform), 600_000)
