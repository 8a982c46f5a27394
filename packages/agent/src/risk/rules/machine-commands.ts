import { inOrder, type CommandTable } from './irrevocable-commands.ts';

const any = /^/;
const firewall = /(?:^| )(?:-[ADFINPRXZ]|--(?:append|delete|flush|insert|policy|replace)(?: |$))/;

/** Programs that format, partition or remove disks and volumes. */
export const volumes: CommandTable = {
  blkdiscard: any,
  btrfs: /(?:^| )sub\w* delete(?: |$)/,
  cfdisk: any,
  cryptsetup: /(?:^| )(?:luksFormat|luksErase|erase|reencrypt)(?: |$)/,
  diskutil: /(?:^| )(?:erase|partition|reformat|secureErase|zeroDisk|randomDisk|apfs (?:delete|erase))/i,
  gdisk: any,
  lvreduce: any,
  lvremove: any,
  mdadm: /--(?:zero-superblock|create|stop|remove)/,
  mke2fs: any,
  mkswap: any,
  nvme: /(?:^| )(?:format|sanitize|delete-ns)(?: |$)/,
  pvremove: any,
  sfdisk: any,
  vgremove: any,
  zfs: /(?:^| )(?:destroy|rollback)(?: |$)/,
  zpool: /(?:^| )(?:destroy|labelclear|create)(?: |$)/,
};

/** Programs that change users, the firewall, mounts or the kernel of the machine. */
export const machineSettings: CommandTable = {
  adduser: any,
  chfn: any,
  chpasswd: any,
  chsh: any,
  date: /(?:^| )(?:-s|--set)/,
  deluser: any,
  'firewall-cmd': /--(?:add|remove|set|change|reload|panic-on)/,
  gpasswd: any,
  groupadd: any,
  groupdel: any,
  groupmod: any,
  hostnamectl: /(?:^| )(?:set-\w+|hostname \S)/,
  insmod: any,
  ip6tables: firewall,
  iptables: firewall,
  kexec: any,
  modprobe: /^(?!.*(?:-n|--dry-run|--show|-c|--showconfig)(?: |$))/,
  mount: /^(?!(?:-[lhvV]|--show-labels|-t \S+(?!\S)|\s)*$)/,
  nft: /(?:^| )(?:flush|delete|destroy|add|insert|create|replace|-f|--file)(?: |$)/,
  passwd: /^(?!-S|--status)/,
  pfctl: /(?:^| )-\w*[dFef]/,
  rmmod: any,
  setenforce: any,
  swapoff: any,
  sysctl: /(?:^| )(?:-\w*[wpf]|--write|--load|--system|[\w./-]+=)/,
  timedatectl: /(?:^| )set-/,
  ufw: /(?:^| )(?:enable|disable|allow|deny|reject|limit|delete|insert|route|default|reset|reload)(?: |$)/,
  umount: /^(?!-[hV])/,
  useradd: any,
  userdel: any,
  usermod: any,
  vipw: any,
  visudo: /^(?!-c|--check)/,
};

const npm = inOrder(
  /^(?!.*--location[= ]project)(?!pkg )(?:.* )?(?:(?:config|c) (?:set|edit)|set) ?/,
  /(?:^| )\S*(?:registry|_auth|proxy|strict-ssl|cafile|ignore-scripts|init-module|globalconfig|userconfig)/i,
);
const pip = inOrder(/(?:^| )config /, inOrder(/(?:^| )?set /, /(?:index-url|find-links|trusted-host|proxy|cert)/));

/** Settings of package managers in the user's home directory from which all later installations come. */
export const userSettings: CommandTable = { npm, pip, pip3: pip, pnpm: npm };
