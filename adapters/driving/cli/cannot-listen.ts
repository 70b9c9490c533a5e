import type { Settings } from '../../config/settings.ts'

/**
 * Why the service cannot listen, in sentences for operators that name the setting to change.
 *
 * @param error what listening was rejected with: as of `node:net`, with the port where it knows it
 */
export const cannotListen = (
  error: unknown,
  { host, port, metricsPort }: Pick<Settings, 'host' | 'port' | 'metricsPort'>,
): string => {
  const { code = 'unknown', port: refused } = Object(error) as Readonly<{ code?: string; port?: number }>
  const [where, setting] =
    refused !== undefined && refused === metricsPort ? [refused, 'METRICS_PORT'] : [port, 'PORT']
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${where} of ${host} is taken. Stop what listens there, or set ${setting}.`
    case 'EACCES':
      return `Port ${where} of ${host} needs rights that this process does not have (${code}), as those below 1024 do. Set ${setting} to 1024 or more, or give it the right.`
    default:
      return `Cannot listen on port ${where} of ${host} (${code}). Set HOST and ${setting} to an address of this machine.`
  }
}
