"""What makes harness/extensions/images/model.npz, the weights of the classifier of symbols.

    boards        renders boards with fonts or handwriting
    distortions   light, perspective, blur and noise, as a camera makes them
    fonts         the packages of fonts, and which typefaces only tests use
    handwriting   the handwritten digits of scikit-learn, in two halves for training and tests
    samples       the isolated ink of rendered cells, with its symbols
    backward      training of the network of harness/extensions/images/classifier.py, in numpy
    rivals        nearest neighbours, and histograms of gradients with support vectors
    make          the command: python -m training.make

Nothing of it is installed with the harness.
"""
