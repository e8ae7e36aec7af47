const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Whether a host (name or address, IPv6 without brackets) is this machine and no other. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host.toLowerCase());
