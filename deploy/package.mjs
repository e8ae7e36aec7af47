#!/usr/bin/env node
// Builds the Debian packages: `npm run package -- [--arch amd64|arm64] [--out FOLDER]
// [--version V]`. The same sources give the same bytes: times come from SOURCE_DATE_EPOCH, else
// from the last commit. Needs dpkg-deb and gcc (cross for the other architecture), no root.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { bashCompletion, commandTree, manualPage } from './packaging/manual.mjs';
import { ARCHITECTURES, placeNative, run } from './packaging/native.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const LIB = 'usr/lib/cutcard';
const DOC = 'usr/share/doc/cutcard';
const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const { values } = parseArgs({
  options: {
    arch: { type: 'string', multiple: true, default: ['amd64', 'arm64'] },
    out: { type: 'string', default: join(root, 'dist/packages') },
    version: { type: 'string', default: about.version },
  },
});
for (const arch of values.arch) {
  if (!Object.hasOwn(ARCHITECTURES, arch)) {
    console.error(`package: no architecture ${arch}; ${Object.keys(ARCHITECTURES).join(', ')}`);
    process.exit(2);
  }
}
// Versions as Debian writes them: 0.2.0, 0.2.0~rc1.
if (!/^\d[A-Za-z0-9.+~]{0,40}$/.test(values.version)) {
  console.error(`package: ${values.version} is no version, such as 0.2.0 or 0.2.0~rc1`);
  process.exit(2);
}
const epoch = Number(
  process.env.SOURCE_DATE_EPOCH ?? run('git', ['-C', root, 'log', '-1', '--format=%ct']).trim(),
);

const put = (stage, to, content, mode = 0o644) => {
  const file = join(stage, to);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
};
const copy = (stage, from, to, mode = 0o644) => {
  put(stage, to, readFileSync(join(root, from)), mode);
};
const copyFolder = (stage, from, to, keep = () => true) => {
  for (const entry of readdirSync(join(root, from), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name).slice(root.length + from.length + 2);
    if (keep(path)) copy(stage, join(from, path), join(to, path));
  }
};
const zipped = (content) => gzipSync(content, { level: 9 });

/** The example with the places that the package uses. @throws where the example has changed */
const exampleConfig = () => {
  const text = readFileSync(join(root, 'controller/config/example.yaml'), 'utf8');
  const place = (before, after) => {
    if (!text.includes(before)) throw new Error(`example.yaml has no line \`${before}\``);
    return [before, after];
  };
  const changes = [
    place('journal: cutcard.journal', 'journal: /var/lib/cutcard/table.journal'),
    place('# calibration: calibration.yaml', '# calibration: /var/lib/cutcard/calibration.yaml'),
    place('# deviceKeyFile: signing.key', 'deviceKeyFile: /var/lib/cutcard/identity/signing.key'),
    place('caFile: ca.pem', 'caFile: /var/lib/cutcard/identity/ca.crt'),
    place('certFile: table.pem', 'certFile: /var/lib/cutcard/identity/device.crt'),
    place('keyFile: table.key', 'keyFile: /var/lib/cutcard/identity/device.key'),
  ];
  return changes.reduce((all, [before, after]) => all.replace(before, after), text);
};

const COPYRIGHT = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: cutcard

Files: *
Copyright: the Cutcard authors
License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
Comment:
 The bundle holds the packages listed in /usr/lib/cutcard/dist/bundle/packages.json with their
 versions and licences.
`;

const stageProgram = (stage) => {
  const manifest = { name: about.name, version: values.version, type: 'module', private: true };
  put(stage, `${LIB}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  // Compiled code is made where the package is installed, by the engine that will run it.
  const isSource = (path) => !path.includes('.cache/');
  copyFolder(stage, 'dist/bundle', `${LIB}/dist/bundle`, isSource);
  copy(stage, 'deploy/compiled-code.mjs', `${LIB}/deploy/compiled-code.mjs`);
  copyFolder(stage, 'dist/pages', `${LIB}/dist/pages`);
  copyFolder(stage, 'controller/procedures/packs', `${LIB}/controller/procedures/packs`);
  for (const folder of ['boards', 'profiles']) {
    const from = `firmware-bridge/${folder}`;
    copyFolder(stage, from, `${LIB}/${from}`, (path) => path.endsWith('.yaml'));
  }
  // Debian's own Node, whatever else the person who types this has on the PATH.
  const node = '/usr/bin/node --max-semi-space-size=1';
  const start = `#!/bin/sh\nexec ${node} /${LIB}/dist/bundle/cli.js "$@"\n`;
  put(stage, 'usr/bin/cutcard', start, 0o755);
};

const stageSystem = (stage) => {
  copy(stage, 'deploy/systemd/cutcard.service', 'usr/lib/systemd/system/cutcard.service');
  copy(stage, 'deploy/udev/60-cutcard.rules', 'usr/lib/udev/rules.d/60-cutcard.rules');
  copy(stage, 'deploy/os/sysusers.conf', 'usr/lib/sysusers.d/cutcard.conf');
  copy(stage, 'deploy/os/tmpfiles.conf', 'usr/lib/tmpfiles.d/cutcard.conf');
  copy(stage, 'deploy/debian/cutcard/cutcard-upgrade', 'usr/sbin/cutcard-upgrade', 0o755);
};

const stageDocs = (stage, tree) => {
  const day = new Date(epoch * 1000).toISOString().slice(0, 10);
  const manual = manualPage(tree, values.version, day);
  put(stage, 'usr/share/man/man1/cutcard.1.gz', zipped(manual));
  put(stage, 'usr/share/bash-completion/completions/cutcard', bashCompletion(tree));
  put(stage, `${DOC}/copyright`, COPYRIGHT);
  put(stage, `${DOC}/changelog.gz`, zipped(readFileSync(join(root, 'CHANGELOG.md'))));
  put(stage, `${DOC}/examples/cutcard.yaml`, exampleConfig());
  copy(stage, 'controller/config/example.yaml', `${LIB}/controller/config/example.yaml`);
  const hardware = ['DEVBOARD', 'DEVICES', 'BOARDS'];
  for (const name of ['INSTALL', 'RUNBOOK', 'JOURNAL', 'CONTRACT', ...hardware]) {
    copy(stage, `docs/${name}.md`, `${DOC}/${name}.md`);
  }
};

const stageAppliance = (stage) => {
  const at = (file, to) => copy(stage, `deploy/os/${file}`, to);
  at('system-watchdog.conf', 'usr/lib/systemd/system.conf.d/60-cutcard.conf');
  at('journald.conf', 'usr/lib/systemd/journald.conf.d/60-cutcard.conf');
  at('sysctl.conf', 'usr/lib/sysctl.d/60-cutcard.conf');
  at('modprobe.conf', 'usr/lib/modprobe.d/cutcard.conf');
  at('chrony.conf', 'etc/chrony/conf.d/cutcard.conf');
  put(stage, 'DEBIAN/conffiles', '/etc/chrony/conf.d/cutcard.conf\n');
  put(stage, 'usr/share/doc/cutcard-appliance/copyright', COPYRIGHT);
};

/** Modes and times that do not depend on who builds, and the size in KiB. */
const settle = (stage) => {
  let bytes = 0;
  for (const entry of readdirSync(stage, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else bytes += statSync(path).size;
  }
  chmodSync(stage, 0o755);
  return Math.ceil(bytes / 1024);
};

const build = (name, arch, fill) => {
  const stage = mkdtempSync(join(tmpdir(), 'cutcard-package-'));
  try {
    fill(stage);
    const folder = `deploy/debian/${name}`;
    for (const script of ['postinst', 'prerm', 'postrm']) {
      if (readdirSync(join(root, folder)).includes(script)) {
        copy(stage, `${folder}/${script}`, `DEBIAN/${script}`, 0o755);
      }
    }
    if (existsSync(join(root, folder, 'triggers'))) {
      copy(stage, `${folder}/triggers`, 'DEBIAN/triggers');
    }
    const words = { VERSION: values.version, ARCH: arch, SIZE: String(settle(stage)) };
    const control = readFileSync(join(root, folder, 'control.in'), 'utf8');
    put(
      stage,
      'DEBIAN/control',
      control.replaceAll(/@([A-Z]+)@/g, (_all, key) => words[key]),
    );
    settle(stage);
    for (const path of ['', ...readdirSync(stage, { recursive: true })]) {
      utimesSync(join(stage, path), epoch, epoch);
    }
    mkdirSync(values.out, { recursive: true });
    const file = join(values.out, `${name}_${values.version}_${arch}.deb`);
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
    run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', stage, file], { env });
    console.log(`package: ${file}, ${Math.round(statSync(file).size / 1024)} KiB`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
};

run(process.execPath, [join(root, 'deploy/build.mjs')]);
const tree = commandTree(root);
for (const arch of values.arch) {
  build('cutcard', arch, (stage) => {
    stageProgram(stage);
    placeNative(root, arch, join(stage, LIB));
    stageSystem(stage);
    stageDocs(stage, tree);
  });
}
build('cutcard-appliance', 'all', stageAppliance);
