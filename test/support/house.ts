import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { signRequest } from '../../surveillance/identity/authority.js';
import {
  deviceFiles,
  installCertificate,
  makeRequest,
} from '../../surveillance/identity/device.js';
import type { TlsIdentity } from '../../surveillance/mqtt/mqtt-transport.js';

export const HOST = '127.0.0.1';

/** One house: an authority, a broker and whoever asks for an identity. */
export class House<Broker extends { readonly port: number }> {
  readonly dir = mkdtempSync(join(tmpdir(), 'cutcard-house-'));
  readonly ca = join(this.dir, 'ca');
  broker: Broker | null = null;

  /** Takes a started broker as the house's own. */
  use(broker: Broker): Broker {
    this.broker = broker;
    return broker;
  }

  get caPem(): string {
    return readFileSync(join(this.ca, 'ca.crt'), 'utf8');
  }

  /** Makes a key, has it signed and takes it into use; returns the folder. */
  identity(
    folder: string,
    name: string,
    more: { hosts?: readonly string[]; notBefore?: string; notAfter?: string } = {},
  ): string {
    const dir = join(this.dir, folder);
    const request = readFileSync(makeRequest(dir, name), 'utf8');
    const pem = signRequest(this.ca, request, { name, ...more });
    const { key, certificate, nextKey } = deviceFiles(dir);
    if (more.notAfter === undefined && more.notBefore === undefined) {
      installCertificate(dir, pem, this.caPem, Date.now());
    } else {
      // What installing refuses is put there by hand, to see what the broker says to it.
      writeFileSync(certificate, pem);
      writeFileSync(key, readFileSync(nextKey));
    }
    return dir;
  }

  tls(dir: string): TlsIdentity {
    const { key, certificate } = deviceFiles(dir);
    return {
      ca: this.caPem,
      certificate: readFileSync(certificate, 'utf8'),
      key: readFileSync(key, 'utf8'),
    };
  }

  client(dir: string, clientId: string): Promise<MqttClient> {
    const tls = this.tls(dir);
    return reach({
      protocol: 'mqtts',
      host: HOST,
      port: this.broker?.port ?? 0,
      protocolVersion: 5,
      clientId,
      minVersion: 'TLSv1.3',
      ...{ ca: tls.ca, cert: tls.certificate, key: tls.key },
    });
  }
}

export type Reach = IClientOptions & { readonly minVersion?: string; readonly maxVersion?: string };

/** One attempt; a refusal may also come after the handshake, as a closed connection. */
export const reach = (options: Reach): Promise<MqttClient> =>
  new Promise((resolve, reject) => {
    const client = connect({ ...options, reconnectPeriod: 0 });
    let said = 'closed';
    client.on('error', (error) => (said = error.message));
    client.on('connect', () => resolve(client));
    client.on('close', () => {
      client.end(true);
      reject(new Error(said));
    });
  });
