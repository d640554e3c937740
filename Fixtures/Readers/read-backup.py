"""Reads a backup with a tool of others: READER FOLDER, the password on standard input.

Writes the SHA-256 of each file and its domain and path. Ends with 3 if the reader says that the password is wrong, in its own
way, and with 4 if it is not installed; anything else that a reader does ends with another status.
"""
import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile

reader, folder = sys.argv[1:3]
password = sys.stdin.readline().rstrip("\n")
target = tempfile.mkdtemp()
# Some of them talk on standard output.
result, sys.stdout = sys.stdout, sys.stderr


def show(content, domain, path):
    print(hashlib.sha256(content).hexdigest(), f"{domain}/{path}", file=result)


def show_tree(root):
    """A directory for each domain."""
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                show(file.read(), *os.path.relpath(path, root).split("/", 1))


def show_payloads(root):
    """The payloads of a backup in clear, by its index."""
    rows = sqlite3.connect(os.path.join(root, "Manifest.db")).execute(
        "SELECT fileID, domain, relativePath FROM Files WHERE flags = 1"
    )
    for number, domain, path in rows:
        with open(os.path.join(root, number[:2], number), "rb") as file:
            show(file.read(), domain, path)


def refused(error):
    print(type(error).__name__, error, file=sys.stderr)
    sys.exit(3)


def mvt_ios(*words, **environment):
    """Runs a command of mvt, which asks the network for nothing."""
    offline = ["--disable-update-check", "--disable-indicator-update-check"]
    program = "import sys; from mvt.ios import main; sys.argv[0] = 'mvt-ios'; main()"
    run = subprocess.run(
        [sys.executable, "-c", program, *offline, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, env={**os.environ, "COLUMNS": "1000", **environment},
    )
    print(run.stdout, file=sys.stderr)
    return run.returncode, run.stdout


try:
    if reader == "iphone_backup_decrypt":
        from iphone_backup_decrypt import EncryptedBackup
    elif reader == "pyiosbackup":
        from pathlib import Path

        from cryptography.hazmat.primitives.keywrap import InvalidUnwrap
        from pyiosbackup import Backup
    elif reader == "iOSbackup":
        from iOSbackup import iOSbackup
    elif reader.startswith("mvt-ios "):
        import mvt.ios
    elif reader == "dissect.target":
        from dissect.target import Target
        from dissect.target.exceptions import TargetError
        from dissect.target.helpers import keychain
    else:
        sys.exit(f"there is no reader {reader}")
except ImportError as error:
    print(f"{error}: run Scripts/install-python", file=sys.stderr)
    sys.exit(4)

if reader == "iphone_backup_decrypt":
    backup = EncryptedBackup(backup_directory=folder, passphrase=password)
    try:
        backup.test_decryption()
    except ValueError as error:
        if str(error) != "Failed to decrypt keys: incorrect passphrase?":
            raise
        refused(error)
    backup.extract_files(
        relative_paths_like="%", domain_like="%", output_folder=target, preserve_folders=True, domain_subfolders=True
    )
    show_tree(target)
elif reader == "pyiosbackup":
    try:
        backup = Backup.from_path(Path(folder), password)
    except InvalidUnwrap as error:
        refused(error)
    backup.unback(Path(target), strict=True)
    show_tree(target)
elif reader == "iOSbackup":
    root, udid = os.path.split(folder.rstrip("/"))
    try:
        backup = iOSbackup(udid=udid, cleartextpassword=password, backuproot=root)
    except Exception as error:
        # It has no class of its own for this.
        if type(error) is not Exception or not str(error).startswith("Failed decrypting backup."):
            raise
        refused(error)
    for number, file in enumerate(backup.getBackupFilesList()):
        if file["flags"] != 1:
            continue
        entry = backup.getFileManifestDBEntry(fileNameHash=file["fileID"])
        copy = backup.getFileDecryptedCopy(manifestEntry=entry, targetName=str(number), targetFolder=target)
        if os.path.isdir(copy["decryptedFilePath"]):
            # Its only mark of a file in clear is the size: it makes a directory of an empty one.
            show(b"", file["domain"], file["name"])
            continue
        with open(copy["decryptedFilePath"], "rb") as content:
            show(content.read(), file["domain"], file["name"])
elif reader == "mvt-ios decrypt-backup":
    status, said = mvt_ios("decrypt-backup", "--destination", target, folder, MVT_IOS_BACKUP_PASSWORD=password)
    if status == 1 and "Password is probably wrong." in said:
        refused(ValueError("mvt-ios ended with 1"))
    if status != 0:
        sys.exit(f"mvt-ios decrypt-backup ended with {status}")
    show_payloads(target)
elif reader == "mvt-ios check-backup":
    # It reads backups in clear: an encrypted one is decrypted first, as its manual says.
    source = folder
    if password:
        status, _ = mvt_ios("decrypt-backup", "--destination", target, folder, MVT_IOS_BACKUP_PASSWORD=password)
        if status != 0:
            sys.exit(f"mvt-ios decrypt-backup ended with {status}")
        source = target
    import json

    results = tempfile.mkdtemp()
    status, said = mvt_ios("check-backup", "--output", results, source)
    if status != 0 or "ERROR" in said or "Traceback" in said:
        sys.exit(f"mvt-ios check-backup ended with {status}")
    with open(os.path.join(results, "backup_info.json")) as file:
        print("device", json.load(file)["Unique Identifier"], file=result)
    with open(os.path.join(results, "manifest.json")) as file:
        for row in json.load(file):
            print(row["size"], row["flags"], f"{row['domain']}/{row['relative_path']}", file=result)
elif reader == "dissect.target":
    keychain.register_wildcard_value(password)
    try:
        opened = Target.open(folder)
    except TargetError as error:
        if "No password for encrypted iTunes backup" not in str(error):
            raise
        refused(error)
    # It shows the places on a phone, and no domains.
    places = [
        ("/private/var/mobile/Containers/Data/Application/", "AppDomain-"),
        ("/private/var/mobile/Containers/Shared/AppGroup/", "AppDomainGroup-"),
        ("/private/var/Keychains/", "KeychainDomain/"), ("/private/var/root/", "RootDomain/"),
        ("/private/var/mobile/", "HomeDomain/"),
    ]

    def walk(directory):
        for entry in directory.iterdir():
            if entry.is_symlink():
                continue
            if entry.is_dir():
                walk(entry)
                continue
            place, domain = next((one for one in places if str(entry).startswith(one[0])), ("", ""))
            show(entry.read_bytes(), *(domain + str(entry)[len(place):]).split("/", 1))

    walk(opened.fs.path("/private/var"))
