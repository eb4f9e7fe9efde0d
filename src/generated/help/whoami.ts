// Generated from the command table by "npm run generate".
export const pages: Readonly<Record<string, string>> = {"whoami":"[{\"prose\":\"Show the account, platform and profile in use\"},{\"lines\":\"Usage: parley whoami\"},29,{\"title\":\"Examples:\",\"commands\":[\"parley whoami\",\"parley whoami --json\"]},15]"}
