import type { Settings } from '../config/settings.ts'

/**
 * Says why the service cannot listen, and which setting to change.
 *
 * @param error the error of `node:net`, which may name the port
 */
export const cannotListen = (
  error: unknown,
  settings: Pick<Settings, 'host' | 'port' | 'metricsPort'>,
): string => {
  const { host, metricsPort } = settings
  const { code = 'unknown', port: failed } = Object(error) as Readonly<{ code?: string; port?: number }>
  const [port, setting] =
    failed !== undefined && failed === metricsPort ? [failed, 'METRICS_PORT'] : [settings.port, 'PORT']
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use. Stop the program that uses it, or set ${setting} to another port.`
    case 'EACCES':
      return `This process may not listen on port ${port} of ${host} (${code}). Set ${setting} to 1024 or higher, or grant it CAP_NET_BIND_SERVICE.`
    default:
      return `Cannot listen on port ${port} of ${host} (${code}). Set HOST and ${setting} to an address of this machine.`
  }
}
