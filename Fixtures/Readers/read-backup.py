"""Reads a backup with a tool of others: READER FOLDER, the password on standard input.

Writes the SHA-256 and the path of each file of HomeDomain. Ends with 3 if the reader does not take the password, and with 4 if it
is not installed.
"""
import hashlib
import os
import sys
import tempfile

reader, folder = sys.argv[1:3]
password = sys.stdin.readline().rstrip("\n")
target = tempfile.mkdtemp()
# Some of them talk on standard output.
result, sys.stdout = sys.stdout, sys.stderr


def show(root):
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                print(hashlib.sha256(file.read()).hexdigest(), os.path.relpath(path, root), file=result)


def refused(error):
    print(type(error).__name__, error, file=sys.stderr)
    sys.exit(3)


try:
    if reader == "iphone_backup_decrypt":
        from iphone_backup_decrypt import EncryptedBackup
    elif reader == "pyiosbackup":
        from pathlib import Path

        from pyiosbackup import Backup
    elif reader == "iOSbackup":
        from iOSbackup import iOSbackup
    elif reader == "mvt":
        import sqlite3

        from mvt.ios.decrypt import DecryptBackup
    elif reader == "dissect.target":
        from dissect.target import Target
        from dissect.target.helpers import keychain
except ImportError as error:
    print(f"{error}: run Scripts/install-python", file=sys.stderr)
    sys.exit(4)

if reader == "iphone_backup_decrypt":
    backup = EncryptedBackup(backup_directory=folder, passphrase=password)
    try:
        backup.test_decryption()
    except ValueError as error:
        refused(error)
    backup.extract_files(relative_paths_like="%", domain_like="HomeDomain", output_folder=target, preserve_folders=True)
    show(target)
elif reader == "pyiosbackup":
    try:
        backup = Backup.from_path(Path(folder), password)
    except Exception as error:
        refused(error)
    backup.unback(Path(target))
    show(os.path.join(target, "HomeDomain"))
elif reader == "iOSbackup":
    root, udid = os.path.split(folder.rstrip("/"))
    try:
        backup = iOSbackup(udid=udid, cleartextpassword=password, backuproot=root)
    except Exception as error:
        refused(error)
    for file in backup.getBackupFilesList():
        if file["domain"] != "HomeDomain" or not os.path.splitext(file["name"])[1]:
            continue
        copy = backup.getFileDecryptedCopy(relativePath=file["name"], targetFolder=target)
        with open(copy["decryptedFilePath"], "rb") as content:
            print(hashlib.sha256(content.read()).hexdigest(), file["name"], file=result)
elif reader == "mvt":
    backup = DecryptBackup(folder, target)
    if not backup.is_encrypted(folder):
        source = folder
    else:
        backup.decrypt_with_password(password)
        if not backup.can_process():
            refused(ValueError("wrong password"))
        backup.process_backup()
        source = target
    rows = sqlite3.connect(os.path.join(source, "Manifest.db")).execute(
        "SELECT fileID, relativePath FROM Files WHERE domain = 'HomeDomain' AND flags = 1"
    )
    for number, path in rows:
        with open(os.path.join(source, number[:2], number), "rb") as file:
            print(hashlib.sha256(file.read()).hexdigest(), path, file=result)
elif reader == "dissect.target":
    keychain.register_wildcard_value(password)
    try:
        opened = Target.open(folder)
    except Exception as error:
        refused(error)
    home = opened.fs.path("/private/var/mobile")

    def walk(directory):
        for entry in directory.iterdir():
            if entry.is_symlink():
                continue
            if entry.is_dir():
                walk(entry)
            else:
                print(hashlib.sha256(entry.read_bytes()).hexdigest(), entry.relative_to(home), file=result)

    walk(home)
